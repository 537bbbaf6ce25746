-- By their keys: the plus keeps the index by age out of it.
SELECT key FROM ended WHERE +engine = ?1 AND key IN (SELECT value FROM json_each(?2)) ORDER BY key
