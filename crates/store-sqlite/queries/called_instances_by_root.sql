SELECT
    i.key, i.rev, i.engine, i.tenant, i.definition_key, i.business_key, i.record, i.events,
    c.caller_key, c.root_key
FROM called AS c
JOIN instance AS i ON i.key = c.key
WHERE c.root_key = ?2 AND c.root_key IS NOT NULL AND c.key <= ?1 AND i.engine = ?3
ORDER BY c.key DESC
LIMIT ?4
