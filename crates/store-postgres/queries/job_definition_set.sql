UPDATE orloj.job_definition
SET suspended = coalesce($2, suspended), priority = CASE WHEN $3 THEN $4 ELSE priority END
WHERE key = $1
