UPDATE orloj.job AS j
SET lock_session = $1, lock_listed = true, attempt = j.attempt + 1
WHERE j.key = ANY ($2)
RETURNING j.*
