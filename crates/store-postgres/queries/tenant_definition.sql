UPDATE orloj.definition
SET tenant = $2, tenant_before = tenant, moved = true
WHERE deployment_key = $1
