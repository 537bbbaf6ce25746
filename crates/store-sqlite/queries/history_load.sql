SELECT instance_key, rev, part, engine, tenant, at, events
FROM history
WHERE instance_key = ?1
ORDER BY rev, part
