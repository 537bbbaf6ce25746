SELECT
    e.key, e.engine, e.tenant, e.definition_key, e.business_key, e.completed, e.started_at,
    e.ended_at, e.variables, c.caller_key, c.root_key
FROM ended AS e
LEFT JOIN called AS c ON c.key = e.key
WHERE e.key <= ?1
    AND e.engine = ?2
    AND (
        ?3 IS NULL
        OR e.definition_key IN (SELECT key FROM definition WHERE engine = ?2 AND process_id = ?3)
    )
ORDER BY e.key DESC
LIMIT ?4
