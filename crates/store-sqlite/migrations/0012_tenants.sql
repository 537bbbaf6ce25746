-- Definitions that have another tenant than the one they were deployed with. While the tenant of
-- before is there, rows that were on their way at the change are still to be found.
ALTER TABLE definition ADD COLUMN moved INTEGER NOT NULL DEFAULT 0;
ALTER TABLE definition ADD COLUMN tenant_before TEXT;
