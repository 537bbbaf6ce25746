UPDATE decision SET deleted = 1 WHERE requirements_key = ?1 AND engine = ?2 AND deleted = 0
