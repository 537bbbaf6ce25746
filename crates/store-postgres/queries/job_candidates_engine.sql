-- What an acquisition for the node may take, without what has reached a limit. Their rows are
-- locked, and so is the lease.
WITH lease AS (
    SELECT session FROM orloj.node WHERE session = $1 FOR KEY SHARE
)
SELECT *
FROM orloj.job
WHERE engine = $2 AND type = '' AND kind NOT IN (2, 5)
    AND state = 0 AND lock_session IS NULL AND lock_until IS NULL
    AND priority BETWEEN $4 AND $5
    AND ($6::bigint[] IS NULL OR definition_key = 0 OR definition_key = ANY ($6))
    AND ($7::text[] IS NULL OR category = ANY ($7))
    AND ($8::text[] IS NULL OR topic = '' OR topic <> ALL ($8))
    AND (NOT $9::boolean OR kind <> 15)
    AND ($10::text IS NULL OR tenant = $10)
    AND (NOT $12::boolean OR due_at IS NOT NULL)
    -- None beside an exclusive one that was stopped while it runs: its lock is there until
    -- whoever runs it is done. Nearly always there is no such job; they are hashed, where
    -- there are many.
    AND (NOT exclusive OR instance_key = 0 OR
        CASE WHEN $11::boolean THEN coalesce(
            (SELECT c.root_key FROM orloj.called AS c WHERE c.key = instance_key), instance_key)
        ELSE instance_key END
        NOT IN (
            SELECT CASE WHEN $11::boolean THEN coalesce(c.root_key, h.instance_key)
                ELSE h.instance_key END
            FROM orloj.job AS h
            LEFT JOIN orloj.called AS c ON c.key = h.instance_key
            WHERE h.state <> 0 AND h.lock_session IS NOT NULL AND h.exclusive
                AND h.engine = $2
        ))
    AND (topic = '' OR topic <> ALL ($13))
    AND tenant <> ALL ($14)
    AND (limit_key IS NULL OR limit_key <> ALL ($15))
ORDER BY priority DESC, key
LIMIT $3 / (SELECT count(*) FROM lease)
FOR UPDATE SKIP LOCKED
