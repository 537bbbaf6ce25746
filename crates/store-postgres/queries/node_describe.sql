UPDATE orloj.node SET profile = $2 WHERE session = $1
