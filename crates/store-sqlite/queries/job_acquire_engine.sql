UPDATE job SET lock_session = ?3, attempt = attempt + 1
WHERE key IN (
    -- The three conditions are those of the index job_ready, word for word, or it is not used.
    SELECT key
    FROM job
    WHERE state = 0 AND lock_session IS NULL AND lock_until IS NULL
        AND engine = ?1
        AND type = ''
        -- A worker's job whose type its author left empty is not the engine's.
        AND kind NOT IN (2, 5)
    ORDER BY priority DESC, key
    LIMIT ?2
)
RETURNING
    key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, kind, type,
    state, retries_left, priority, exclusive, due_at, lock_session, lock_worker, lock_until, attempt,
    activations, failure
