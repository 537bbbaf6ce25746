-- Whether an index is there, can be used, and is being made; and how large its table is.
WITH found AS (
    SELECT c.oid, i.indisvalid
    FROM pg_class AS c
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
    JOIN pg_index AS i ON i.indexrelid = c.oid
    WHERE n.nspname = $1 AND c.relname = $2
)
SELECT
    EXISTS (SELECT FROM found),
    coalesce((SELECT indisvalid FROM found), false),
    EXISTS (
        SELECT
        FROM pg_stat_progress_create_index AS p
        JOIN found AS f ON p.index_relid = f.oid
    ),
    (
        SELECT pg_relation_size(c.oid)
        FROM pg_class AS c
        JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname = $1 AND c.relname = $3
    )
