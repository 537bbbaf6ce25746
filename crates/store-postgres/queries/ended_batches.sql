SELECT *
FROM orloj.ended_batch
WHERE engine = $1
    AND ($2::bigint IS NULL OR key < $2)
    AND ($4::text IS NULL OR kind = $4)
    AND ($5::text IS NULL OR tenant = $5)
ORDER BY key DESC
LIMIT $3
