SELECT 1 FROM message_taken WHERE message_key = ?1 AND process_id = ?2
