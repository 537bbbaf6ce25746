-- The second column tells a job without a lasting lock from none at all.
WITH extended AS (
    UPDATE orloj.job SET lock_until = $2
    WHERE key = $1 AND lock_worker IS NOT NULL AND lock_until >= $3
    RETURNING 1
)
SELECT EXISTS (SELECT FROM extended), EXISTS (SELECT FROM orloj.any_job WHERE key = $1)
