DELETE FROM ended_batch
WHERE key IN (
    SELECT key
    FROM ended_batch
    WHERE engine = ?1
        AND ended_at < ?2
        -- Of these kinds, or of all but these.
        AND (kind IN (SELECT value FROM json_each(?4))) <> ?5
    ORDER BY ended_at
    LIMIT ?3
)
