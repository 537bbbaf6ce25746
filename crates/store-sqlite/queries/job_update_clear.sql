UPDATE job
SET state = ?2, retries_left = ?3, priority = ?4, due_at = ?5, failure = coalesce(?6, failure),
    failure_details = iif(?6 IS NULL, failure_details, ?7),
    failed_element = iif(?6 IS NULL, failed_element, ?8),
    lock_session = NULL, lock_worker = NULL, lock_until = NULL, activations = x''
WHERE key = ?1
