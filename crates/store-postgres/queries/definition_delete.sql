UPDATE orloj.definition SET deleted = true WHERE key = $1
