UPDATE incident SET annotation = ?2 WHERE key = ?1
