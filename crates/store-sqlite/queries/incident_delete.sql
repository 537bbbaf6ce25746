DELETE FROM incident WHERE key = ?1
