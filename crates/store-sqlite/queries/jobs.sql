SELECT
    key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, kind, type,
    state, retries_left, priority, exclusive, due_at, lock_session, lock_worker, lock_until, attempt,
    activations, failure
FROM job
WHERE key <= ?1
    AND engine = ?2
    AND (?3 IS NULL OR instance_key = ?3)
    AND (?4 IS NULL OR type = ?4)
    AND (?5 IS NULL OR state = ?5)
ORDER BY key DESC
LIMIT ?6
