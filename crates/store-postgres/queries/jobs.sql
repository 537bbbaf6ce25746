SELECT *
FROM orloj.job
WHERE engine = $1
    AND ($2::bigint IS NULL OR key < $2)
    AND ($4::bigint IS NULL OR instance_key = $4)
    AND ($5::text IS NULL OR type = $5)
    AND ($6::smallint IS NULL OR state = $6)
ORDER BY key DESC
LIMIT $3
