SELECT 1 FROM message WHERE key = ?1
