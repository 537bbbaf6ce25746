-- What has the number of an instance holds a place for it. Where the other tenant has such a
-- holder already, that one stays the only one.
UPDATE message AS m
SET tenant = ?2
WHERE m.key IN (SELECT value FROM json_each(?1))
    AND NOT EXISTS (
        SELECT 1
        FROM message AS o
        WHERE o.engine = m.engine AND o.tenant = ?2 AND o.name = m.name
            AND o.correlation_key = m.correlation_key AND o.message_id = m.message_id
    )
