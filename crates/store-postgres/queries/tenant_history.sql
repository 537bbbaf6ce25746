UPDATE orloj.history SET tenant = $2 WHERE instance_key = ANY ($1)
