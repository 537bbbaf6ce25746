-- With the engine, which the index begins with.
SELECT key FROM orloj.ended WHERE engine = $3 AND definition_key = ANY ($1) AND tenant = $2
