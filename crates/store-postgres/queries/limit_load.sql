SELECT
    engine, scope, name, max_concurrent, rate_jobs, rate_interval_ms, rate_burst, tokens,
    refilled_at
FROM orloj.job_limit
WHERE engine = $1 AND scope = $2 AND name = $3
FOR UPDATE
