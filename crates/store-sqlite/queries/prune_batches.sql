DELETE FROM ended_batch
WHERE key IN (
    SELECT key
    FROM ended_batch
    WHERE engine = ?1 AND removal_at <= ?2
    ORDER BY removal_at
    LIMIT ?3
)
