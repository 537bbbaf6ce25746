-- All a node does while idle. Other parts of a statement do not see what it updates, so the row of
-- this node comes from the update itself; without it there is no row at all.
WITH me AS (
    UPDATE orloj.node
    SET beat = beat + 1,
        seen_at = $2,
        key_high = greatest(key_high, $3),
        lock_floor = least($4, taken_floor),
        taken_floor = $5,
        settings_seen = $7
    WHERE session = $1
    RETURNING number, session, name, beat, seen_at, settings_seen, profile
),
pulse AS (
    SELECT
        least(
            (SELECT min(due_at) FROM orloj.job WHERE engine = $6 AND state = 1),
            (SELECT min(lock_until) FROM orloj.job WHERE engine = $6 AND lock_until IS NOT NULL)
        ) AS next_due_at,
        -- In the order of its index: one that merely exists is looked for from end to end, where the
        -- statistics have it that there are many.
        coalesce(
            (
                SELECT true FROM orloj.job
                WHERE engine = $6 AND type = '' AND kind NOT IN (2, 5)
                    AND state = 0 AND lock_session IS NULL AND lock_until IS NULL
                ORDER BY priority DESC, key
                LIMIT 1
            ),
            false
        ) AS engine_jobs_ready,
        greatest(
            (SELECT coalesce(max(key), 0) FROM orloj.definition WHERE engine = $6),
            (SELECT coalesce(max(key), 0) FROM orloj.decision WHERE engine = $6)
        ) AS newest_definition,
        EXISTS (SELECT FROM orloj.broadcast WHERE engine = $6) AS has_broadcasts,
        (SELECT min(expires_at) FROM orloj.message WHERE engine = $6) AS message_expires_at,
        coalesce((SELECT version FROM orloj.settings WHERE engine = $6), 0) AS settings_version
)
SELECT nodes.*, pulse.*
FROM (
    SELECT number, session, name, beat, seen_at, settings_seen, profile FROM me
    UNION ALL
    SELECT number, session, name, beat, seen_at, settings_seen, profile
    FROM orloj.node
    WHERE engine = $6 AND session <> $1 AND EXISTS (SELECT FROM me)
) AS nodes, pulse
ORDER BY nodes.number
