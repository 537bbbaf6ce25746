SELECT * FROM orloj.broadcast WHERE engine = $1 ORDER BY key LIMIT $2
