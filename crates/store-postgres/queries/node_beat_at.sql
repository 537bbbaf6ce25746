SELECT 1 FROM orloj.node WHERE session = $1 AND beat = $2
