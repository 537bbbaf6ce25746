DELETE FROM operation
WHERE key IN (
    SELECT key
    FROM operation INDEXED BY operation_age
    WHERE engine = ?1 AND at < ?2
    ORDER BY at
    LIMIT ?3
)
