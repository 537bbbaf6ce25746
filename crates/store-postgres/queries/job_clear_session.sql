-- A scan of the primary key from the node's floor on: there is no index of node locks, because
-- every job would be in it.
WITH held AS (
    SELECT key FROM orloj.job WHERE key >= $2 AND lock_session = $1 ORDER BY key FOR UPDATE
)
UPDATE orloj.job AS j SET lock_session = NULL FROM held WHERE j.key = held.key
