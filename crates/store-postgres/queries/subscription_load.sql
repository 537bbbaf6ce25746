SELECT * FROM orloj.subscription WHERE key = $1
