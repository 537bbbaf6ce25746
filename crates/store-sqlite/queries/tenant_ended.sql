SELECT key
FROM ended
WHERE definition_key IN (SELECT value FROM json_each(?1)) AND tenant = ?2
