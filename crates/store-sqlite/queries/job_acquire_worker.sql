UPDATE job
SET lock_worker = ?4, lock_until = ?5, attempt = attempt + 1,
    -- The concatenation of SQL is one of texts; the bytes are the same.
    -- A job that is lost again and again keeps its first activations only.
    activations = CASE WHEN length(activations) < 8192
        THEN CAST(activations || ?6 AS BLOB) ELSE activations END
WHERE key IN (
    -- The three conditions are those of the index job_ready, word for word, or it is not used.
    SELECT key
    FROM job
    WHERE state = 0 AND lock_session IS NULL AND lock_until IS NULL
        AND engine = ?1
        AND type = ?2
        AND kind IN (2, 5)
    ORDER BY priority DESC, key
    LIMIT ?3
)
RETURNING
    key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, kind, type,
    state, retries_left, priority, exclusive, due_at, lock_session, lock_worker, lock_until, attempt,
    activations, failure, created_at, topic, category,
    limit_key, batch_key, payload, failure_details, failed_element
