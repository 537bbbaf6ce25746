-- Those that have their tenant from their definition, in the order in which groups lock them.
SELECT key
FROM orloj.instance
WHERE definition_key = ANY ($1) AND tenant = $2
ORDER BY key
FOR UPDATE
