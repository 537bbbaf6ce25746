SELECT *
FROM orloj.message
WHERE engine = $1 AND tenant = $2 AND name = $3 AND correlation_key = $4
    AND ($5::bigint IS NULL OR key > $5)
    AND ($6::text IS NULL OR message_id = $6)
    AND expires_at > $7
ORDER BY key
LIMIT $8
