INSERT INTO orloj.job_limit
    (engine, scope, name, max_concurrent, rate_jobs, rate_interval_ms, rate_burst, tokens,
    refilled_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (engine, scope, name) DO UPDATE
SET max_concurrent = excluded.max_concurrent, rate_jobs = excluded.rate_jobs,
    rate_interval_ms = excluded.rate_interval_ms, rate_burst = excluded.rate_burst,
    tokens = excluded.tokens, refilled_at = excluded.refilled_at
