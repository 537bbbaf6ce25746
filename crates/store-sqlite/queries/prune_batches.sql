DELETE FROM ended_batch
WHERE key IN (
    SELECT key
    FROM ended_batch
    WHERE engine = ?1
        AND (?2 IS NULL OR removal_at <= ?2)
        AND (?3 IS NULL OR ended_at < ?3)
    ORDER BY key
    LIMIT ?4
)
