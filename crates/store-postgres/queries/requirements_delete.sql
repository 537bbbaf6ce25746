UPDATE orloj.decision
SET deleted = true
WHERE requirements_key = $1 AND engine = $2 AND NOT deleted
