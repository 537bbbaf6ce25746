-- What the change of a deployment's tenant leaves to be settled.
SELECT key, tenant, tenant_before
FROM definition
WHERE engine = ?1 AND deployment_key = ?2 AND tenant_before IS NOT NULL
ORDER BY key
