-- In the order in which groups lock them.
SELECT key FROM orloj.instance WHERE key = ANY ($1) ORDER BY key FOR UPDATE
