SELECT count(*)
FROM job INDEXED BY job_locked_key
WHERE engine = ?1 AND limit_key = ?2 AND limit_key IS NOT NULL
    AND (lock_session IS NOT NULL OR lock_until IS NOT NULL)
