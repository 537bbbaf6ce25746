SELECT key, lock_session, lock_until IS NOT NULL, attempt
FROM orloj.job
WHERE key = ANY ($1)
