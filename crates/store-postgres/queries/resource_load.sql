SELECT content FROM orloj.resource WHERE deployment_key = $1 AND name = $2
