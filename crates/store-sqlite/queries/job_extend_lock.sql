UPDATE job SET lock_until = ?2
WHERE key = ?1 AND lock_worker IS NOT NULL AND lock_until >= ?3
