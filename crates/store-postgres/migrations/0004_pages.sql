-- Records of instances with very many element instances lie in pages, of which a step writes those
-- it has changed. `kind`: 0 element instances, 1 variables. The lowest key that a page may hold
-- names it. Rows are often updated and short-lived, as those of instances are.
CREATE TABLE orloj.instance_page (
    instance_key bigint NOT NULL,
    kind smallint NOT NULL,
    first_key bigint NOT NULL,
    engine text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (instance_key, kind, first_key)
) WITH (
    fillfactor = 80,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0.2,
    vacuum_truncate = false
);
ALTER TABLE orloj.instance_page ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TYPE orloj.page_in AS (
    instance_key bigint, kind smallint, first_key bigint, engine text, tenant text, bytes bytea
);
CREATE TYPE orloj.page_gone AS (instance_key bigint, kind smallint, first_key bigint);
