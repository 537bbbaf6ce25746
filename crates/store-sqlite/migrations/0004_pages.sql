-- Records of instances with very many element instances lie in pages, of which a step writes those
-- it has changed. `kind`: 0 element instances, 1 variables.
CREATE TABLE instance_page (
    instance_key INTEGER NOT NULL,
    kind         INTEGER NOT NULL,
    -- The lowest key that the page may hold.
    first_key    INTEGER NOT NULL,
    engine       TEXT NOT NULL,
    tenant       TEXT NOT NULL,
    bytes        BLOB NOT NULL,
    -- A kilobyte or more each, so the key is an index beside the rows instead of their home.
    PRIMARY KEY (instance_key, kind, first_key)
) STRICT;
