-- The arms are tried in turn and only as far as needed. Element instance keys are made just before
-- those of the rows they wait with, so the jobs and subscriptions next to it are likely to know;
-- what is left is a scan of all.
SELECT coalesce(
    (SELECT key FROM orloj.instance WHERE key = $1),
    (
        SELECT instance_key
        FROM (
            SELECT instance_key, element_instance_key
            FROM orloj.job
            WHERE key > $1 AND key < $2
            ORDER BY key
            LIMIT $3
        ) AS near
        WHERE element_instance_key = $1
        LIMIT 1
    ),
    (
        SELECT instance_key
        FROM (
            SELECT instance_key, element_instance_key
            FROM orloj.subscription
            WHERE key > $1 AND key < $2
            ORDER BY key
            LIMIT $3
        ) AS near
        WHERE element_instance_key = $1
        LIMIT 1
    ),
    (SELECT instance_key FROM orloj.incident WHERE element_instance_key = $1 LIMIT 1),
    (SELECT instance_key FROM orloj.user_task WHERE element_instance_key = $1 LIMIT 1),
    (SELECT instance_key FROM orloj.subscription WHERE element_instance_key = $1 LIMIT 1),
    (SELECT instance_key FROM orloj.any_job WHERE element_instance_key = $1 LIMIT 1)
)
