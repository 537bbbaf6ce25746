SELECT number, session, name, beat, seen_at
FROM orloj.node
WHERE engine = $1
ORDER BY number
