SELECT key FROM definition WHERE engine = ?1 AND suspended ORDER BY key
