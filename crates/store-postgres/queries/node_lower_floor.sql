UPDATE orloj.node
SET lock_floor = least(lock_floor, $2), taken_floor = $2
WHERE session = $1 AND taken_floor > $2
