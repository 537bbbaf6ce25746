-- A job that someone else is writing at the moment has news of its own; it is looked at next time.
WITH ended AS (
    SELECT key
    FROM orloj.job
    WHERE engine = $1 AND lock_until IS NOT NULL AND lock_until < $2
    ORDER BY lock_until
    LIMIT $3
    FOR UPDATE SKIP LOCKED
)
UPDATE orloj.job AS j
SET lock_worker = NULL, lock_until = NULL
FROM ended
WHERE j.key = ended.key
RETURNING j.type
