SELECT key FROM ended WHERE engine = ?1 AND key IN (SELECT value FROM json_each(?2)) ORDER BY key
