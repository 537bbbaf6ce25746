-- By keys, because the index is that of the column which is set.
UPDATE job SET lock_session = NULL
WHERE key IN (
    SELECT key
    FROM job INDEXED BY job_listed
    WHERE lock_listed = 1 AND lock_session IS NOT NULL AND lock_session = ?1
)
