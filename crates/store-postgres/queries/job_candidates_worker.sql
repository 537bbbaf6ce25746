-- What an acquisition for a worker may take, without what has reached a limit.
SELECT *
FROM orloj.job
WHERE engine = $2 AND type = $4 AND kind IN (2, 5)
    AND state = 0 AND lock_session IS NULL AND lock_until IS NULL
    AND (topic = '' OR topic <> ALL ($5))
    AND tenant <> ALL ($6)
    AND (limit_key IS NULL OR limit_key <> ALL ($7))
ORDER BY priority DESC, key
LIMIT $3 / (SELECT count(*) FROM orloj.node WHERE session = $1)
FOR UPDATE SKIP LOCKED
