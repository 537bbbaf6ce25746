UPDATE definition SET suspended = ?2 WHERE key = ?1
