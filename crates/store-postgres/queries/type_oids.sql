SELECT t.typname::text, t.oid, t.typarray
FROM pg_type AS t
JOIN pg_namespace AS n ON n.oid = t.typnamespace
WHERE n.nspname = $1 AND t.typtype = 'c' AND t.typarray <> 0
