SELECT * FROM orloj.job WHERE key = $1
