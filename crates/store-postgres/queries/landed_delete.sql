DELETE FROM orloj.landed WHERE session = $1
