-- What the session holds is listed, or has a key from its floor on. There is no index of all node
-- locks, because every job would be in it. Rows are locked in the order of keys, as everywhere.
WITH found AS (
    SELECT key FROM orloj.job WHERE lock_session = $1 AND lock_listed
    UNION
    SELECT key FROM orloj.job WHERE key >= $2 AND lock_session = $1
),
held AS (
    SELECT j.key
    FROM orloj.job AS j
    WHERE j.key = ANY (ARRAY(SELECT key FROM found)) AND j.lock_session = $1
    ORDER BY j.key
    FOR UPDATE
)
UPDATE orloj.job AS j SET lock_session = NULL FROM held WHERE j.key = held.key
