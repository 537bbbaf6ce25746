SELECT *
FROM orloj.incident
WHERE engine = $1
    AND ($2::bigint IS NULL OR key < $2)
    AND ($4::bigint IS NULL OR instance_key = $4)
ORDER BY key DESC
LIMIT $3
