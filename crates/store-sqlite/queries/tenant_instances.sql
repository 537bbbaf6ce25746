-- Those that have their tenant from their definition.
SELECT key
FROM instance
WHERE definition_key IN (SELECT value FROM json_each(?1)) AND tenant = ?2
