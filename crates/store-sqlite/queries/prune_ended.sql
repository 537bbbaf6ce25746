-- From the oldest on. Keys are made when instances start, so what ended long ago is in front.
SELECT key
FROM ended
WHERE key > ?6 AND engine = ?1 AND ended_at < ?2
    AND (?7 IS NULL OR definition_key = ?7)
    AND ended_at / 60000 % 60 BETWEEN ?3 AND ?4
ORDER BY key
LIMIT ?5
