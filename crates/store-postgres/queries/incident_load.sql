SELECT * FROM orloj.incident WHERE key = $1
