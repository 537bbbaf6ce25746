UPDATE job
SET state = ?2, retries_left = ?3, priority = ?4, due_at = ?5, failure = coalesce(?6, failure),
    failure_details = iif(?6 IS NULL, failure_details, ?8),
    failed_element = iif(?6 IS NULL, failed_element, ?9),
    lock_session = ?7, lock_listed = 1, lock_worker = NULL, lock_until = NULL,
    attempt = attempt + 1
WHERE key = ?1
