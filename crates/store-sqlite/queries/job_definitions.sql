SELECT
    key, engine, tenant, definition_key, process_id, element_id, kind, configuration, suspended,
    priority
FROM job_definition
WHERE key <= ?1 AND engine = ?2
    AND (?4 IS NULL OR definition_key = ?4)
    AND (?5 IS NULL OR process_id = ?5)
    AND (?6 IS NULL OR tenant = ?6)
    AND (?7 IS NULL OR element_id = ?7)
    AND (?8 IS NULL OR kind = ?8)
    AND (?9 IS NULL OR configuration = ?9)
    AND (?10 IS NULL OR suspended = ?10)
    AND (?11 IS NULL OR (priority IS NOT NULL) = ?11)
ORDER BY key DESC
LIMIT ?3
