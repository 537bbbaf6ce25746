-- Every limit, and how many jobs that match it are locked.
SELECT
    l.engine, l.scope, l.name, l.max_concurrent, l.rate_jobs, l.rate_interval_ms, l.rate_burst,
    l.tokens, l.refilled_at,
    CASE l.scope
        WHEN 0 THEN (
            SELECT count(*)
            FROM orloj.any_job AS j
            WHERE j.engine = l.engine AND j.topic = l.name AND j.topic <> ''
                AND (j.lock_session IS NOT NULL OR j.lock_until IS NOT NULL)
        )
        WHEN 1 THEN (
            SELECT count(*)
            FROM orloj.any_job AS j
            WHERE j.engine = l.engine AND j.tenant = l.name AND j.tenant <> ''
                AND (j.lock_session IS NOT NULL OR j.lock_until IS NOT NULL)
        )
        ELSE (
            SELECT count(*)
            FROM orloj.any_job AS j
            WHERE j.engine = l.engine AND j.limit_key = l.name AND j.limit_key IS NOT NULL
                AND (j.lock_session IS NOT NULL OR j.lock_until IS NOT NULL)
        )
    END
FROM orloj.job_limit AS l
WHERE l.engine = $1
ORDER BY l.scope, l.name
