UPDATE orloj.definition AS d
SET suspended = $2
FROM (SELECT key FROM orloj.definition WHERE key = ANY ($1) ORDER BY key FOR UPDATE) AS picked
WHERE d.key = picked.key
