DELETE FROM orloj.job WHERE key = ANY ($1)
