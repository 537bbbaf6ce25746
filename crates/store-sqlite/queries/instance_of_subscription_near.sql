-- What an element instance waits with was made just after it, by the same command.
SELECT instance_key
FROM (
    SELECT instance_key, element_instance_key
    FROM subscription
    WHERE key > ?1 AND key < ?2
    ORDER BY key
    LIMIT 1000
)
WHERE element_instance_key = ?1
LIMIT 1
