DELETE FROM chore_log
WHERE number IN (
    SELECT number
    FROM chore_log INDEXED BY chore_log_at
    WHERE engine = ?1 AND at < ?2
    ORDER BY at
    LIMIT ?3
)
