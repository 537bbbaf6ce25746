SELECT *
FROM orloj.batch
WHERE engine = $1
    AND ($2::bigint IS NULL OR key < $2)
    AND ($4::text IS NULL OR kind = $4)
    AND ($5::text IS NULL OR tenant = $5)
    AND ($6::boolean IS NULL OR suspended = $6)
ORDER BY key DESC
LIMIT $3
