SELECT *
FROM orloj.job_definition
WHERE engine = $1
    AND ($2::bigint IS NULL OR key < $2)
    AND ($4::bigint IS NULL OR definition_key = $4)
    AND ($5::text IS NULL OR process_id = $5)
    AND ($6::text IS NULL OR tenant = $6)
    AND ($7::text IS NULL OR element_id = $7)
    AND ($8::text IS NULL OR kind = $8)
    AND ($9::text IS NULL OR configuration = $9)
    AND ($10::boolean IS NULL OR suspended = $10)
    AND ($11::boolean IS NULL OR (priority IS NOT NULL) = $11)
ORDER BY key DESC
LIMIT $3
