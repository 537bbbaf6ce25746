CREATE INDEX IF NOT EXISTS job_locked_topic ON job (engine, topic)
WHERE topic <> '' AND (lock_session IS NOT NULL OR lock_until IS NOT NULL)
