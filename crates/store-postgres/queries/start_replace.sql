-- In the order in which groups lock them.
WITH old AS (
    SELECT definition_key, event_id
    FROM orloj.start_event
    WHERE engine = $1 AND tenant = $2 AND process_id = ANY ($3)
    ORDER BY definition_key, event_id
    FOR UPDATE
)
DELETE FROM orloj.start_event AS e
USING old
WHERE e.definition_key = old.definition_key AND e.event_id = old.event_id
