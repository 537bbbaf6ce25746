SELECT key, tenant, deployment_key, tenant_before IS NULL
FROM definition
WHERE engine = ?1 AND moved
ORDER BY key
