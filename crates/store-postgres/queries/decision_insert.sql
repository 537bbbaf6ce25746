INSERT INTO orloj.decision
    (key, engine, tenant, decision_id, name, version, version_tag, requirements_key,
    requirements_id, requirements_name, requirements_version, deployment_key, resource_name,
    checksum, dialect, deployed_at)
SELECT
    key, engine, tenant, decision_id, name, version, version_tag, requirements_key,
    requirements_id, requirements_name, requirements_version, deployment_key, resource_name,
    checksum, dialect, deployed_at
FROM unnest($1::orloj.decision_in[])
