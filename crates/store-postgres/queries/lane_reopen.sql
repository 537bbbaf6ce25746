-- Waits for a transaction of the lane that is still under way, and shuts out one that the server
-- has yet to begin: it carries the epoch before.
UPDATE orloj.lane SET epoch = epoch + 1
WHERE session = $1 AND lane = $2
RETURNING group_id, epoch
