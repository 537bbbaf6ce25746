DELETE FROM operation
WHERE key IN (SELECT key FROM operation WHERE engine = ?1 AND at < ?2 ORDER BY key LIMIT ?3)
