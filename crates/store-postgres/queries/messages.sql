SELECT m.*
FROM orloj.message AS m
WHERE m.engine = $1 AND m.tenant = $2 AND m.name = $3 AND m.correlation_key = $4
    AND ($5::bigint IS NULL OR m.key > $5)
    AND ($6::text IS NULL OR m.message_id = $6)
    AND m.expires_at > $7
    AND ($9::text IS NULL OR NOT EXISTS (
        SELECT
        FROM orloj.message_taken AS t
        WHERE t.message_key = m.key AND t.process_id = $9
    ))
ORDER BY m.key
LIMIT $8
