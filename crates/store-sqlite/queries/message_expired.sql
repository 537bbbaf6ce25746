DELETE FROM message
WHERE key IN (
    SELECT key
    FROM message INDEXED BY message_expires
    WHERE expires_at <= ?1 AND engine = ?2
    ORDER BY expires_at
    LIMIT ?3
)
RETURNING key
