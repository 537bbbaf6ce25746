UPDATE definition SET tenant = ?2, tenant_before = tenant, moved = 1 WHERE deployment_key = ?1
