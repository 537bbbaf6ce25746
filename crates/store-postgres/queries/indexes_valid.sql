-- Those of these indexes that can be used.
SELECT c.relname::text
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_index AS i ON i.indexrelid = c.oid
WHERE n.nspname = $1 AND c.relname = ANY ($2) AND i.indisvalid
