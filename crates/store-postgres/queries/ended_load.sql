SELECT * FROM orloj.ended WHERE key = $1
