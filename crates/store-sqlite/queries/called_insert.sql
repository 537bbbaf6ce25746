INSERT INTO called (key, caller_key, root_key) VALUES (?1, ?2, ?3)
-- It was written when the instance started.
ON CONFLICT (key) DO NOTHING
