DELETE FROM start_event WHERE definition_key = ?1 AND event_id = ?2 AND fired = ?3
