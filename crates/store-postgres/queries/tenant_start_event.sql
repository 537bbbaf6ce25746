UPDATE orloj.start_event SET tenant = $2 WHERE definition_key = ANY ($1)
