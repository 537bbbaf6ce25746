INSERT INTO orloj.definition
    (key, engine, tenant, process_id, version, deployment_key, resource_name, checksum, dialect,
    checks, deployed_at, suspended)
SELECT
    key, engine, tenant, process_id, version, deployment_key, resource_name, checksum, dialect,
    checks, deployed_at, suspended
FROM unnest($1::orloj.definition_in[])
