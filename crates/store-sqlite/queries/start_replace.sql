DELETE FROM start_event INDEXED BY start_event_process
WHERE engine = ?1 AND tenant = ?2 AND process_id = ?3
