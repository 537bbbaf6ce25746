SELECT m.key, f.key, f.instance_key
FROM orloj.message AS m
CROSS JOIN LATERAL (
    SELECT s.key, s.instance_key
    FROM orloj.subscription AS s
    LEFT JOIN orloj.definition AS d ON d.key = s.definition_key
    WHERE s.engine = m.engine AND s.kind = 0 AND s.name = m.name
        AND s.correlation_key = m.correlation_key AND s.tenant = m.tenant
        AND NOT EXISTS (
            SELECT
            FROM orloj.message_taken AS t
            WHERE t.message_key = m.key AND t.process_id = d.process_id
        )
    ORDER BY s.key
    LIMIT 1
) AS f
WHERE m.engine = $1 AND m.expires_at > $2 AND ($3::bigint IS NULL OR m.key > $3)
ORDER BY m.key
LIMIT $4
