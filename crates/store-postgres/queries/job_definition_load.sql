SELECT * FROM orloj.job_definition WHERE key = $1
