UPDATE job
SET state = ?2, retries_left = ?3, priority = ?4, due_at = ?5, failure = coalesce(?6, failure),
    lock_session = NULL, lock_worker = NULL, lock_until = NULL, activations = x''
WHERE key = ?1
