-- Definitions that have another tenant than the one they were deployed with. While the tenant of
-- before is there, rows that a node wrote before it had heard of the change are still to be found.
ALTER TABLE orloj.definition
    ADD COLUMN moved boolean NOT NULL DEFAULT false,
    ADD COLUMN tenant_before text COLLATE "C";
