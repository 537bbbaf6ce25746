SELECT
    e.key, e.engine, e.tenant, e.definition_key, e.business_key, e.completed, e.started_at,
    e.ended_at, e.variables, c.caller_key, c.root_key, e.removal_at
FROM called AS c
JOIN ended AS e ON e.key = c.key
WHERE c.caller_key = ?2 AND c.caller_key IS NOT NULL AND c.key <= ?1 AND e.engine = ?3
ORDER BY c.key DESC
LIMIT ?4
