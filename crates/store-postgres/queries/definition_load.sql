SELECT * FROM orloj.definition WHERE key = $1
