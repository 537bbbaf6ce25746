INSERT INTO asset (
    key, engine, tenant, kind, asset_id, version, version_tag, deployment_key, resource_name,
    checksum, deployed_at, deleted
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
