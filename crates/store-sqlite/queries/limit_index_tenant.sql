CREATE INDEX IF NOT EXISTS job_locked_tenant ON job (engine, tenant)
WHERE tenant <> '' AND (lock_session IS NOT NULL OR lock_until IS NOT NULL)
