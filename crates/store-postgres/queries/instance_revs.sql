SELECT key, rev FROM orloj.instance WHERE key = ANY ($1)
