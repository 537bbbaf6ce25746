SELECT key, engine, tenant, definition_key, business_key, completed, started_at, ended_at, variables
FROM ended
WHERE key <= ?1
    AND engine = ?2
    AND (
        ?3 IS NULL
        OR definition_key IN (SELECT key FROM definition WHERE engine = ?2 AND process_id = ?3)
    )
ORDER BY key DESC
LIMIT ?4
