SELECT message_key, definition_key, event_id
FROM orloj.start_fits_of($1, $2, $3, $4, $5)
