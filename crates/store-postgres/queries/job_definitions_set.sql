SELECT *
FROM orloj.job_definition
WHERE engine = $1 AND (suspended OR priority IS NOT NULL)
ORDER BY key
