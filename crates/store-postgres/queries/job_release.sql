-- Waits for whoever writes one of the rows: a lock of this session that nobody clears would last
-- as long as the session. Rows are locked in the order of keys, as everywhere.
WITH held AS (
    SELECT j.key
    FROM orloj.job AS j
    JOIN unnest($2::orloj.job_held[]) AS h ON j.key = h.key AND j.attempt = h.attempt
    WHERE j.lock_session = $1 OR j.lock_until IS NOT NULL
    ORDER BY j.key
    FOR UPDATE OF j
)
UPDATE orloj.job AS j
SET lock_session = NULL, lock_worker = NULL, lock_until = NULL
FROM held
WHERE j.key = held.key
