SELECT
    number, job_key, engine, tenant, definition_key, element_id, kind, batch_key, event, at,
    retries, priority, due_at, message, details, failed_element, incident, run_by
FROM chore_log
WHERE number <= ?1 AND engine = ?2
    -- One bit for each event that is wanted.
    AND (?4 = 0 OR (?4 >> event) & 1)
    AND (?5 IS NULL OR definition_key = ?5)
    AND (?6 IS NULL OR batch_key = ?6)
    AND (?7 IS NULL OR message = ?7)
ORDER BY number DESC
LIMIT ?3
