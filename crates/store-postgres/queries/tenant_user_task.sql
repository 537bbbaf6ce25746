UPDATE orloj.user_task SET tenant = $2 WHERE instance_key = ANY ($1)
