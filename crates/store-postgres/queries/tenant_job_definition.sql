UPDATE orloj.job_definition SET tenant = $2 WHERE definition_key = ANY ($1)
