SELECT key, engine, tenant, name, variables, place
FROM broadcast
WHERE engine = ?1
ORDER BY key
LIMIT ?2
