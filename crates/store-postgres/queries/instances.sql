SELECT
    i.key, i.rev, i.engine, i.tenant, i.definition_key, i.business_key, i.record, i.events, false,
    c.caller_key, c.root_key
FROM orloj.instance AS i
LEFT JOIN orloj.called AS c ON c.key = i.key
WHERE i.engine = $1
    AND ($2::bigint IS NULL OR i.key < $2)
    AND ($4::text IS NULL OR i.definition_key IN (
        SELECT d.key FROM orloj.definition AS d WHERE d.engine = $1 AND d.process_id = $4
    ))
    AND ($5::bigint IS NULL OR i.definition_key = $5)
    AND ($6::text IS NULL OR i.tenant = $6)
    -- The index has the beginning alone.
    AND ($7::text IS NULL OR (left(i.business_key, 250) = left($7, 250) AND i.business_key = $7))
    AND (
        $8::boolean IS NULL
        OR EXISTS (SELECT FROM orloj.incident AS n WHERE n.instance_key = i.key) = $8
    )
ORDER BY i.key DESC
LIMIT $3
