SELECT *
FROM orloj.start_event
WHERE engine = $1 AND due_at IS NOT NULL AND due_at <= $2
ORDER BY due_at, definition_key, event_id
LIMIT $3
