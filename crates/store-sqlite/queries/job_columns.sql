SELECT
    key, engine, tenant, instance_key, definition_key, element_instance_key, element_id, kind, type,
    state, retries_left, priority, exclusive, due_at, lock_session, lock_worker, lock_until, attempt,
    activations, failure, created_at, topic, category, limit_key, batch_key, payload,
    failure_details, failed_element
