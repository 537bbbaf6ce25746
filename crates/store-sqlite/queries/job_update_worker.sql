UPDATE job
SET state = ?2, retries_left = ?3, priority = ?4, due_at = ?5, failure = coalesce(?6, failure),
    failure_details = iif(?6 IS NULL, failure_details, ?10),
    failed_element = iif(?6 IS NULL, failed_element, ?11),
    lock_session = NULL, lock_worker = ?7, lock_until = ?8, attempt = attempt + 1,
    activations = ?9
WHERE key = ?1
