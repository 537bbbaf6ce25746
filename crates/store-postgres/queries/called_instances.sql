SELECT
    i.key, i.rev, i.engine, i.tenant, i.definition_key, i.business_key, i.record, i.events, false,
    c.caller_key, c.root_key
FROM orloj.called AS c
JOIN orloj.instance AS i ON i.key = c.key
WHERE i.engine = $1
    AND ($2::bigint IS NULL OR c.key < $2)
    AND ($4::bigint IS NULL OR c.caller_key = $4)
    AND ($5::bigint IS NULL OR c.root_key = $5)
ORDER BY c.key DESC
LIMIT $3
