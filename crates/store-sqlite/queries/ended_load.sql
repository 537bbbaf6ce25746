SELECT
    e.key, e.engine, e.tenant, e.definition_key, e.business_key, e.completed, e.started_at,
    e.ended_at, e.variables, c.caller_key, c.root_key, e.removal_at
FROM ended AS e
LEFT JOIN called AS c ON c.key = e.key
WHERE e.key = ?1
