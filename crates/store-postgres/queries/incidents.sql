SELECT *
FROM orloj.incident
WHERE engine = $1
    AND ($2::bigint IS NULL OR key < $2)
    AND ($4::bigint IS NULL OR instance_key = $4)
    AND ($5::bigint IS NULL OR definition_key = $5)
    AND ($6::text IS NULL OR tenant = $6)
    AND ($7::text IS NULL OR kind = $7)
    AND ($8::text IS NULL OR element_id = $8)
    AND ($9::bigint IS NULL OR job_key = $9)
    AND ($10::text IS NULL OR definition_key IN (
        SELECT d.key FROM orloj.definition AS d WHERE d.engine = $1 AND d.process_id = $10
    ))
ORDER BY key DESC
LIMIT $3
