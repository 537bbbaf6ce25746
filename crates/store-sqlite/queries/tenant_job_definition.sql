UPDATE job_definition SET tenant = ?2 WHERE definition_key IN (SELECT value FROM json_each(?1))
