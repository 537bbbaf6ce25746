SELECT * FROM orloj.any_job WHERE key = $1
