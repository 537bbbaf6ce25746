INSERT INTO orloj.definition
    (key, engine, tenant, process_id, version, deployment_key, resource_name, checksum, dialect,
    checks, deployed_at)
SELECT
    key, engine, tenant, process_id, version, deployment_key, resource_name, checksum, dialect,
    checks, deployed_at
FROM unnest($1::orloj.definition_in[])
