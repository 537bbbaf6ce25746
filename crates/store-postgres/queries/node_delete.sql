DELETE FROM orloj.node
WHERE session = $1 AND ($2::bigint IS NULL OR beat = $2)
RETURNING number, key_high, least(lock_floor, taken_floor)
