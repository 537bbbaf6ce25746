SELECT
    e.key, e.engine, e.tenant, e.definition_key, e.business_key, e.completed, e.started_at,
    e.ended_at, e.variables, c.caller_key, c.root_key, e.removal_at
FROM orloj.called AS c
JOIN orloj.ended AS e ON e.key = c.key
WHERE e.engine = $1
    AND ($2::bigint IS NULL OR c.key < $2)
    AND ($4::bigint IS NULL OR c.caller_key = $4)
    AND ($5::bigint IS NULL OR c.root_key = $5)
ORDER BY c.key DESC
LIMIT $3
