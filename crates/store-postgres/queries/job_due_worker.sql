SELECT *
FROM orloj.job
WHERE engine = $1 AND state = 1 AND kind IN (2, 5) AND due_at <= $2
ORDER BY due_at, key
LIMIT $3
