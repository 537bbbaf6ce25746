INSERT INTO orloj.resource (deployment_key, name, engine, tenant, content)
SELECT deployment_key, name, engine, tenant, content FROM unnest($1::orloj.resource_in[])
