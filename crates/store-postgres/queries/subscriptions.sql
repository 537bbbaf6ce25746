SELECT *
FROM orloj.subscription
WHERE engine = $1
    AND kind = $2
    AND ($3::bigint IS NULL OR key > $3)
    AND ($5::text IS NULL OR tenant = $5)
    AND ($6::text IS NULL OR name = $6)
    AND ($7::text IS NULL OR correlation_key = $7)
    AND ($8::bigint IS NULL OR instance_key = $8)
ORDER BY key
LIMIT $4
