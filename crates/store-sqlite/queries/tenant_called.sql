-- Instances that have their tenant from who called them: their definition has another one.
SELECT c.key
FROM called AS c
LEFT JOIN instance AS i ON i.key = c.key
LEFT JOIN ended AS e ON e.key = c.key
JOIN definition AS d ON d.key = coalesce(i.definition_key, e.definition_key)
WHERE c.caller_key IN (SELECT value FROM json_each(?1))
    AND coalesce(i.tenant, e.tenant) = ?2 AND d.tenant <> ?2
