SELECT key, rev, (at_hand).key FROM orloj.instance WHERE key = ANY ($1)
