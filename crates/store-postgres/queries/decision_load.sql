SELECT * FROM orloj.decision WHERE key = $1
