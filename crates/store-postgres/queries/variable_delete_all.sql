DELETE FROM orloj.variable WHERE instance_key = ANY ($1)
