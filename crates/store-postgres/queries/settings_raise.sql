INSERT INTO orloj.settings AS s (engine, version) VALUES ($1, 1)
ON CONFLICT (engine) DO UPDATE SET version = s.version + 1
RETURNING version
