UPDATE orloj.job_limit AS l
SET tokens = u.tokens, refilled_at = u.refilled_at
FROM unnest($2::orloj.limit_token[]) AS u
WHERE l.engine = $1 AND l.scope = u.scope AND l.name = u.name
