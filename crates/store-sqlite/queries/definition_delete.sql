UPDATE definition SET deleted = 1 WHERE key = ?1
