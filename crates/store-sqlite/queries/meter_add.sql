INSERT INTO meter (engine, name, at, reporter, value) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (engine, name, at, reporter) DO UPDATE SET value = value + excluded.value
