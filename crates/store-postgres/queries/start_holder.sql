SELECT instance_key
FROM orloj.start_hold
WHERE engine = $1 AND tenant = $2 AND process_id = $3 AND correlation_key = $4
