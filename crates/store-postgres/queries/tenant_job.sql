UPDATE orloj.job SET tenant = $2 WHERE instance_key = ANY ($1)
