SELECT key
FROM subscription
WHERE engine = ?1 AND kind = ?2 AND name = ?3
ORDER BY key DESC
LIMIT 1
