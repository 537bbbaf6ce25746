UPDATE ended SET tenant = ?2 WHERE key IN (SELECT value FROM json_each(?1))
