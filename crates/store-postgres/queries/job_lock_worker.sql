UPDATE orloj.job AS j
SET lock_worker = $1, lock_until = $2, attempt = j.attempt + 1,
    activations = CASE WHEN octet_length(j.activations) < 8192
        THEN j.activations || $3 ELSE j.activations END
WHERE j.key = ANY ($4)
RETURNING j.*
