SELECT * FROM orloj.history WHERE instance_key = $1 ORDER BY rev
