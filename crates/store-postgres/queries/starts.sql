SELECT *
FROM orloj.start_event
WHERE engine = $1
    AND kind = $2
    AND ($3::bigint IS NULL OR (definition_key, event_id) > ($3, $4))
    AND ($6::text IS NULL OR tenant = $6)
    AND ($7::text IS NULL OR name = $7)
ORDER BY definition_key, event_id
LIMIT $5
