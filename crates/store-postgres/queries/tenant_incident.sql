UPDATE orloj.incident SET tenant = $2 WHERE instance_key = ANY ($1)
