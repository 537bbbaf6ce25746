-- `?12`: what becomes of the lock: 0 keep, 1 clear, 2 a session's, 3 a worker's. `?6`: whether the
-- failure is replaced.
UPDATE job
SET state = ?2, retries_left = ?3, priority = coalesce(?4, priority), due_at = ?5,
    failure = iif(?6, ?7, failure),
    failure_details = iif(?6, ?8, failure_details),
    failed_element = iif(?6, ?9, failed_element),
    payload = coalesce(?10, payload),
    attempt = attempt + (?12 >= 2),
    activations = CASE ?12 WHEN 0 THEN activations WHEN 2 THEN activations ELSE ?11 END,
    lock_session = iif(?12 = 0, lock_session, ?13),
    lock_listed = lock_listed OR ?12 = 2,
    lock_worker = iif(?12 = 0, lock_worker, ?14),
    lock_until = iif(?12 = 0, lock_until, ?15)
WHERE key = ?1
