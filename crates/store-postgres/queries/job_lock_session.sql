WITH taken AS (
    UPDATE orloj.job AS j
    SET lock_session = $1, attempt = j.attempt + 1
    WHERE j.key = ANY ($2)
    RETURNING j.*
),
lowered AS (
    UPDATE orloj.node AS n
    SET lock_floor = least(n.lock_floor, lowest.key), taken_floor = lowest.key
    FROM (SELECT min(key) AS key FROM taken) AS lowest
    WHERE n.session = $1 AND lowest.key < n.taken_floor
)
SELECT * FROM taken
