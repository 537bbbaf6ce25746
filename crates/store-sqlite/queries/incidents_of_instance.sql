SELECT
    key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, job_key,
    kind, message, created_at, cause_key, root_cause_key, configuration, annotation
FROM incident
WHERE instance_key = ?3 AND key <= ?1 AND engine = ?2
    AND (?5 IS NULL OR definition_key = ?5)
    AND (?6 IS NULL OR tenant = ?6)
    AND (?7 IS NULL OR kind = ?7)
    AND (?8 IS NULL OR element_id = ?8)
    AND (?9 IS NULL OR job_key = ?9)
    AND (
        ?10 IS NULL
        OR definition_key IN (
            SELECT d.key FROM definition AS d WHERE d.engine = ?2 AND d.process_id = ?10
        )
    )
ORDER BY key DESC
LIMIT ?4
