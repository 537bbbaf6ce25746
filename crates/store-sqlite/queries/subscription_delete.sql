DELETE FROM subscription WHERE key = ?1
