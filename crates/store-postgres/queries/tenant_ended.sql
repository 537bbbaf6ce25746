SELECT key FROM orloj.ended WHERE definition_key = ANY ($1) AND tenant = $2
