-- With the engine, which the index begins with.
SELECT key
FROM ended
WHERE engine = ?3 AND definition_key IN (SELECT value FROM json_each(?1)) AND tenant = ?2
