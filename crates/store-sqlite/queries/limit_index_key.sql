CREATE INDEX IF NOT EXISTS job_locked_key ON job (engine, limit_key)
WHERE limit_key IS NOT NULL AND (lock_session IS NOT NULL OR lock_until IS NOT NULL)
