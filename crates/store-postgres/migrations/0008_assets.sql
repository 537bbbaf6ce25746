-- Files that elements refer to, with versions of their own; and decisions that are asked no more.

CREATE TABLE orloj.asset (
    key bigint PRIMARY KEY,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    -- 0 a form, 1 what jobs are linked to
    kind smallint NOT NULL,
    asset_id text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    version_tag text COLLATE "C",
    deployment_key bigint NOT NULL,
    resource_name text COLLATE "C" NOT NULL,
    checksum bytea NOT NULL,
    deployed_at bigint NOT NULL,
    deleted boolean NOT NULL DEFAULT false,
    UNIQUE (engine, tenant, kind, asset_id, version)
);

CREATE TYPE orloj.asset_in AS (
    key bigint, engine text, tenant text, kind smallint, asset_id text, version integer,
    version_tag text, deployment_key bigint, resource_name text, checksum bytea, deployed_at bigint
);

ALTER TABLE orloj.decision ADD COLUMN deleted boolean NOT NULL DEFAULT false;

CREATE INDEX decision_file ON orloj.decision (requirements_key);
