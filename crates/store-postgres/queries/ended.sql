SELECT
    e.key, e.engine, e.tenant, e.definition_key, e.business_key, e.completed, e.started_at,
    e.ended_at, e.variables, c.caller_key, c.root_key
FROM orloj.ended AS e
LEFT JOIN orloj.called AS c ON c.key = e.key
WHERE e.engine = $1
    AND ($2::bigint IS NULL OR e.key < $2)
    AND ($4::text IS NULL OR e.definition_key IN (
        SELECT d.key FROM orloj.definition AS d WHERE d.engine = $1 AND d.process_id = $4
    ))
ORDER BY e.key DESC
LIMIT $3
