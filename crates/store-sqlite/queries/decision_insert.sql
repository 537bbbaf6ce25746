INSERT INTO decision (
    key, engine, tenant, decision_id, name, version, version_tag, requirements_key,
    requirements_id, requirements_name, requirements_version, deployment_key, resource_name,
    checksum, dialect, deployed_at
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
