UPDATE node
SET beat = beat + 1, seen_at = ?2, key_high = max(key_high, ?3), lock_floor = ?4,
    settings_seen = ?5
WHERE session = ?1
-- Everything an idle node asks for, each the first entry of an index.
RETURNING
    number, session, name, beat, seen_at, settings_seen, profile,
    (
        SELECT due_at
        FROM job
        WHERE state = 1 AND due_at IS NOT NULL AND job.engine = node.engine
        ORDER BY due_at
        LIMIT 1
    ),
    (
        SELECT lock_until
        FROM job
        WHERE lock_until IS NOT NULL AND job.engine = node.engine
        ORDER BY lock_until
        LIMIT 1
    ),
    (
        SELECT expires_at
        FROM message INDEXED BY message_expires
        WHERE message.engine = node.engine
        ORDER BY expires_at
        LIMIT 1
    ),
    EXISTS (SELECT 1 FROM broadcast WHERE broadcast.engine = node.engine),
    EXISTS (
        SELECT 1
        FROM job
        WHERE state = 0 AND lock_session IS NULL AND lock_until IS NULL
            AND job.engine = node.engine
            AND type = ''
            AND kind NOT IN (2, 5)
    ),
    -- From the newest down; the indexes on engine would read and sort them all.
    max(
        coalesce(
            (
                SELECT key
                FROM definition NOT INDEXED
                WHERE definition.engine = node.engine
                ORDER BY key DESC
                LIMIT 1
            ),
            0
        ),
        coalesce(
            (
                SELECT key
                FROM decision NOT INDEXED
                WHERE decision.engine = node.engine
                ORDER BY key DESC
                LIMIT 1
            ),
            0
        )
    ),
    coalesce((SELECT version FROM settings WHERE settings.engine = node.engine), 0)
