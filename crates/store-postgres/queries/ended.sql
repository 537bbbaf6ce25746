SELECT
    e.key, e.engine, e.tenant, e.definition_key, e.business_key, e.completed, e.started_at,
    e.ended_at, e.variables, c.caller_key, c.root_key, e.removal_at
FROM orloj.ended AS e
LEFT JOIN orloj.called AS c ON c.key = e.key
WHERE e.engine = $1
    AND ($2::bigint IS NULL OR e.key < $2)
    AND ($4::text IS NULL OR e.definition_key IN (
        SELECT d.key FROM orloj.definition AS d WHERE d.engine = $1 AND d.process_id = $4
    ))
    AND ($5::bigint IS NULL OR e.definition_key = $5)
    AND ($6::text IS NULL OR e.tenant = $6)
    AND ($7::text IS NULL OR e.business_key = $7)
    AND ($8::boolean IS NULL OR e.completed = $8)
    AND ($9::bigint IS NULL OR e.ended_at < $9)
    AND ($10::bigint IS NULL OR e.ended_at > $10)
ORDER BY e.key DESC
LIMIT $3
