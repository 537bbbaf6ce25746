DELETE FROM ended_batch
WHERE key IN (
    SELECT key
    FROM ended_batch
    WHERE engine = ?1
        AND (?2 IS NULL OR removal_at <= ?2)
        AND (?3 IS NULL OR ended_at < ?3)
        -- Of these kinds, or of all but these.
        AND (kind IN (SELECT value FROM json_each(?5))) <> ?6
    ORDER BY key
    LIMIT ?4
)
