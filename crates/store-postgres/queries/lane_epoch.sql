SELECT epoch FROM orloj.lane WHERE session = $1 AND lane = $2
