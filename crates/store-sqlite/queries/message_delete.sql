DELETE FROM message WHERE key = ?1
