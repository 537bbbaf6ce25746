UPDATE job
SET lock_worker = ?2, lock_until = ?3, attempt = attempt + 1,
    activations = CASE WHEN length(activations) < 8192
        THEN CAST(activations || ?4 AS BLOB) ELSE activations END
WHERE key = ?1
