SELECT session FROM orloj.node WHERE engine = $1 AND name = $2
