UPDATE incident SET tenant = ?2 WHERE instance_key IN (SELECT value FROM json_each(?1))
