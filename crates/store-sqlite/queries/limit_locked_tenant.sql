SELECT count(*)
FROM job INDEXED BY job_locked_tenant
WHERE engine = ?1 AND tenant = ?2 AND tenant <> ''
    AND (lock_session IS NOT NULL OR lock_until IS NOT NULL)
