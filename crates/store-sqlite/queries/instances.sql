SELECT
    i.key, i.rev, i.engine, i.tenant, i.definition_key, i.business_key, i.record, i.events,
    c.caller_key, c.root_key
FROM instance AS i
LEFT JOIN called AS c ON c.key = i.key
WHERE i.key <= ?1
    AND i.engine = ?2
    AND (
        ?3 IS NULL
        OR i.definition_key IN (SELECT key FROM definition WHERE engine = ?2 AND process_id = ?3)
    )
ORDER BY i.key DESC
LIMIT ?4
