-- Deleted ones too: instances of them may run.
SELECT key FROM definition WHERE engine = ?1 AND deployment_key = ?2 ORDER BY key
