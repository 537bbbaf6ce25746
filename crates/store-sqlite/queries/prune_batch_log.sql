DELETE FROM chore_log
WHERE number IN (
    SELECT number
    FROM chore_log INDEXED BY chore_log_batch
    WHERE batch_key = ?2 AND engine = ?1
    ORDER BY number
    LIMIT ?3
)
