-- In the order of keys, page by page: the plus keeps the index by age out of it.
SELECT
    e.key, e.engine, e.tenant, e.definition_key, e.business_key, e.completed, e.started_at,
    e.ended_at, e.variables, c.caller_key, c.root_key, e.removal_at
FROM ended AS e
LEFT JOIN called AS c ON c.key = e.key
WHERE e.key <= ?1
    AND +e.engine = ?2
    AND (
        ?3 IS NULL
        OR e.definition_key IN (SELECT key FROM definition WHERE engine = ?2 AND process_id = ?3)
    )
    AND (?5 IS NULL OR e.definition_key = ?5)
    AND (?6 IS NULL OR e.tenant = ?6)
    AND (?7 IS NULL OR e.business_key = ?7)
    AND (?8 IS NULL OR e.completed = ?8)
    AND (?9 IS NULL OR e.ended_at < ?9)
    AND (?10 IS NULL OR e.ended_at > ?10)
ORDER BY e.key DESC
LIMIT ?4
