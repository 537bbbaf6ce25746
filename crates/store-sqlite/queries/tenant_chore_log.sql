UPDATE chore_log
SET tenant = ?3
WHERE definition_key IN (SELECT value FROM json_each(?1)) AND tenant = ?2 AND batch_key IS NULL
