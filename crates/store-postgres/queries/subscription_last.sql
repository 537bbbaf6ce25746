SELECT s.key
FROM orloj.subscription AS s
WHERE s.engine = $1 AND s.kind = $2 AND s.name = $3
ORDER BY s.key DESC
LIMIT 1
