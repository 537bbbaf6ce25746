-- Files that elements refer to, with versions of their own; and decisions that are asked no more.

CREATE TABLE asset (
    key            INTEGER PRIMARY KEY,
    engine         TEXT NOT NULL,
    tenant         TEXT NOT NULL,
    -- 0 a form, 1 what jobs are linked to
    kind           INTEGER NOT NULL,
    asset_id       TEXT NOT NULL,
    version        INTEGER NOT NULL,
    version_tag    TEXT,
    deployment_key INTEGER NOT NULL,
    resource_name  TEXT NOT NULL,
    checksum       BLOB NOT NULL,
    deployed_at    INTEGER NOT NULL,
    deleted        INTEGER NOT NULL DEFAULT 0,
    UNIQUE (engine, tenant, kind, asset_id, version)
) STRICT;

ALTER TABLE decision ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;

CREATE INDEX decision_file ON decision (requirements_key);
