SELECT * FROM orloj.batch WHERE key = $1
