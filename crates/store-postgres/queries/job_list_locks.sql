-- Nobody is waited for: a node whose beat is late would be taken for dead.
WITH held AS (
    SELECT key
    FROM orloj.job
    WHERE key = ANY ($2) AND lock_session = $1
    ORDER BY key
    FOR UPDATE SKIP LOCKED
)
UPDATE orloj.job AS j SET lock_listed = true FROM held WHERE j.key = held.key
RETURNING j.key
