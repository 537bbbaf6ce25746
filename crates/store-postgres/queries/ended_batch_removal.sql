WITH moved AS (
    UPDATE orloj.ended_batch SET removal_at = $3 WHERE engine = $1 AND key = ANY ($2) RETURNING key
)
SELECT count(*) FROM moved
