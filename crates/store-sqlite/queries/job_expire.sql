UPDATE job SET lock_worker = NULL, lock_until = NULL
WHERE lock_until < ?1 AND engine = ?2
RETURNING type
