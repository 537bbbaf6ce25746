-- What of an acquisition whose answer to COMMIT was lost did land. Waits for its transaction.
SELECT j.*
FROM orloj.job AS j
JOIN unnest($2::orloj.job_held[]) AS h ON j.key = h.key AND j.attempt = h.attempt
WHERE j.lock_session = $1
ORDER BY j.priority DESC, j.key
FOR UPDATE OF j
