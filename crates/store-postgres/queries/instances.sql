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
ORDER BY i.key DESC
LIMIT $3
