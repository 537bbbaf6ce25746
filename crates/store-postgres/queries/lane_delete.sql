DELETE FROM orloj.lane WHERE session = $1
