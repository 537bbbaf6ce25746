SELECT
    key, engine, tenant, process_id, version, deployment_key, resource_name, checksum, dialect,
    checks, deployed_at, suspended, deleted
-- From the newest down; the index on engine would read and sort them all. Among ten thousand any of
-- these conditions is found within milliseconds.
FROM definition AS d NOT INDEXED
WHERE key <= ?1 AND engine = ?2 AND NOT deleted
    AND (?4 IS NULL OR process_id = ?4)
    AND (?5 IS NULL OR tenant = ?5)
    AND (?6 IS NULL OR version = ?6)
    AND (?7 IS NULL OR deployment_key = ?7)
    AND (?8 IS NULL OR suspended = ?8)
    AND (
        NOT ?9
        OR NOT EXISTS (
            SELECT 1 FROM definition AS later
            WHERE later.engine = d.engine
                AND later.tenant = d.tenant
                AND later.process_id = d.process_id
                AND later.version > d.version
                AND NOT later.deleted
        )
    )
ORDER BY key DESC
LIMIT ?3
