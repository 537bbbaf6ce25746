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
    AND (?5 IS NULL OR i.definition_key = ?5)
    AND (?6 IS NULL OR i.tenant = ?6)
    AND (?8 IS NULL OR EXISTS (SELECT 1 FROM incident AS n WHERE n.instance_key = i.key) = ?8)
ORDER BY i.key DESC
LIMIT ?4
