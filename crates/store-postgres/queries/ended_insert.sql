INSERT INTO orloj.ended
    (key, engine, tenant, definition_key, business_key, completed, started_at, ended_at, variables)
SELECT
    key, engine, tenant, definition_key, business_key, completed, started_at, ended_at, variables
FROM unnest($1::orloj.ended_in[])
