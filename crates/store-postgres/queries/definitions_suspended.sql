SELECT key FROM orloj.definition WHERE engine = $1 AND suspended ORDER BY key
