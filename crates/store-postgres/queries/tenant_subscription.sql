UPDATE orloj.subscription SET tenant = $2 WHERE instance_key = ANY ($1)
