UPDATE asset SET deleted = 1 WHERE key = ?1 AND engine = ?2 AND deleted = 0
