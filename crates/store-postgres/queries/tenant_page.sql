UPDATE orloj.instance_page SET tenant = $2 WHERE instance_key = ANY ($1)
