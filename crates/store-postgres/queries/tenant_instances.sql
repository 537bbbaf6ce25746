-- Those that have their tenant from their definition.
SELECT key FROM orloj.instance WHERE definition_key = ANY ($1) AND tenant = $2
