DELETE FROM orloj.incident WHERE key = ANY ($1) RETURNING key
