INSERT INTO orloj.asset
    (key, engine, tenant, kind, asset_id, version, version_tag, deployment_key, resource_name,
    checksum, deployed_at)
SELECT
    key, engine, tenant, kind, asset_id, version, version_tag, deployment_key, resource_name,
    checksum, deployed_at
FROM unnest($1::orloj.asset_in[])
