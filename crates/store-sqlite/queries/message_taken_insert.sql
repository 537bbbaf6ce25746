INSERT INTO message_taken (message_key, process_id)
SELECT key, ?2 FROM message WHERE key = ?1
-- No row changed is how the caller learns of a conflict.
ON CONFLICT (message_key, process_id) DO NOTHING
