-- What job_acquire_worker.sql would take, without what has reached a limit.
SELECT
    key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, kind, type,
    state, retries_left, priority, exclusive, due_at, lock_session, lock_worker, lock_until, attempt,
    activations, failure, created_at, topic, category, limit_key, batch_key, payload,
    failure_details, failed_element
FROM job INDEXED BY job_ready
WHERE state = 0 AND lock_session IS NULL AND lock_until IS NULL
    AND engine = ?1
    AND type = ?2
    AND kind IN (2, 5)
    AND (topic = '' OR topic NOT IN (SELECT value FROM json_each(?4)))
    AND tenant NOT IN (SELECT value FROM json_each(?5))
    AND (limit_key IS NULL OR limit_key NOT IN (SELECT value FROM json_each(?6)))
ORDER BY priority DESC, key
LIMIT ?3
