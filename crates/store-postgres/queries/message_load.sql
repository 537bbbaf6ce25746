SELECT * FROM orloj.message WHERE key = $1
