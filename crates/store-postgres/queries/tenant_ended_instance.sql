UPDATE orloj.ended SET tenant = $2 WHERE key = ANY ($1)
