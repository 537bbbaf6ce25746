WITH gone AS (
    DELETE FROM orloj.ended_batch WHERE engine = $1 AND key = ANY ($2) RETURNING key
)
SELECT count(*) FROM gone
