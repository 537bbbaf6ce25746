-- Locks for the node's session. The lease is locked too, so that fencing waits for this and then
-- sees what was taken; when it is gone the limit divides by zero. The floor is lowered here and
-- not by the next beat, because the node may die in between.
WITH lease AS (
    SELECT session FROM orloj.node WHERE session = $1 FOR KEY SHARE
),
picked AS (
    SELECT key
    FROM orloj.job
    WHERE engine = $2 AND type = '' AND kind NOT IN (2, 5)
        AND state = 0 AND lock_session IS NULL AND lock_until IS NULL
    ORDER BY priority DESC, key
    LIMIT $3 / (SELECT count(*) FROM lease)
    FOR UPDATE SKIP LOCKED
),
taken AS (
    UPDATE orloj.job AS j
    SET lock_session = $1, attempt = j.attempt + 1
    FROM picked
    WHERE j.key = picked.key
    RETURNING j.*
),
lowered AS (
    UPDATE orloj.node AS n
    SET lock_floor = least(n.lock_floor, lowest.key), taken_floor = lowest.key
    FROM (SELECT min(key) AS key FROM taken) AS lowest
    WHERE n.session = $1 AND lowest.key < n.taken_floor
)
SELECT * FROM taken ORDER BY priority DESC, key
