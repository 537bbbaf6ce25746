DELETE FROM called WHERE key = ?1
