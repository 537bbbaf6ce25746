SELECT *
FROM orloj.ended
WHERE engine = $1
    AND ($2::bigint IS NULL OR key < $2)
    AND ($4::text IS NULL OR definition_key IN (
        SELECT d.key FROM orloj.definition AS d WHERE d.engine = $1 AND d.process_id = $4
    ))
ORDER BY key DESC
LIMIT $3
