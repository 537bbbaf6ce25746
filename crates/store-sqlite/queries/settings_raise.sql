INSERT INTO settings (engine, version) VALUES (?1, 1)
ON CONFLICT (engine) DO UPDATE SET version = version + 1
RETURNING version
