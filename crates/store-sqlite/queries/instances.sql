SELECT key, rev, engine, tenant, definition_key, business_key, record, events
FROM instance
WHERE key <= ?1
    AND engine = ?2
    AND (
        ?3 IS NULL
        OR definition_key IN (SELECT key FROM definition WHERE engine = ?2 AND process_id = ?3)
    )
ORDER BY key DESC
LIMIT ?4
