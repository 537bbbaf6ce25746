-- lock_write: 0 keep, 1 clear, 2 a session's, 3 a worker's.
UPDATE orloj.job AS j
SET state = s.state,
    retries_left = s.retries_left,
    priority = s.priority,
    due_at = s.due_at,
    failure = s.failure,
    lock_session = CASE s.lock_write WHEN 0 THEN j.lock_session ELSE s.lock_session END,
    lock_worker = CASE s.lock_write WHEN 0 THEN j.lock_worker ELSE s.lock_worker END,
    lock_until = CASE s.lock_write WHEN 0 THEN j.lock_until ELSE s.lock_until END,
    attempt = j.attempt + (s.lock_write >= 2)::integer,
    activations = CASE
        WHEN s.lock_write IN (0, 2) THEN j.activations
        ELSE s.activations
    END
FROM unnest($1::orloj.job_step[]) AS s
WHERE j.key = s.key
