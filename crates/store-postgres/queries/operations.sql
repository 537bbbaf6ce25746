SELECT *
FROM orloj.operation
WHERE engine = $1
    AND ($2::bigint IS NULL OR key < $2)
    AND ($4::bigint IS NULL OR group_key = $4)
    AND ($5::text IS NULL OR user_id = $5)
    AND ($6::text IS NULL OR operation = $6)
    AND ($7::text IS NULL OR entity = $7)
    AND ($8::bigint IS NULL OR entity_key = $8)
    AND ($9::bigint IS NULL OR instance_key = $9)
    AND ($10::bigint IS NULL OR definition_key = $10)
    AND ($11::bigint IS NULL OR job_definition_key = $11)
    AND ($12::text IS NULL OR property = $12)
    AND ($13::bigint IS NULL OR at >= $13)
    AND ($14::bigint IS NULL OR at < $14)
ORDER BY key DESC
LIMIT $3
