-- Versions beside which their tenant has a later one of the same process, of all processes that
-- some definitions are of: nothing is started by their start events.
SELECT d.key
FROM definition AS d
WHERE EXISTS (
        SELECT 1
        FROM definition AS m
        WHERE m.key IN (SELECT value FROM json_each(?1))
            AND m.engine = d.engine AND m.tenant = d.tenant AND m.process_id = d.process_id
    )
    AND EXISTS (
        SELECT 1
        FROM definition AS o
        WHERE o.engine = d.engine AND o.tenant = d.tenant AND o.process_id = d.process_id
            AND o.version > d.version AND NOT o.deleted
    )
ORDER BY d.key
