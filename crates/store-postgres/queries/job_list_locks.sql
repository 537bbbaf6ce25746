-- Nobody is waited for: a node whose beat is late would be taken for dead. Jobs at hand are found by
-- an index from the beginning.
WITH held AS (
    SELECT key
    FROM orloj.job
    WHERE key = ANY ($2) AND lock_session = $1
    ORDER BY key
    FOR UPDATE SKIP LOCKED
),
listed AS (
    UPDATE orloj.job AS j SET lock_listed = true FROM held WHERE j.key = held.key
    RETURNING j.key
)
SELECT key FROM listed
UNION ALL
SELECT (at_hand).key
FROM orloj.instance
WHERE at_hand_session = $1 AND (at_hand).key = ANY ($2)
