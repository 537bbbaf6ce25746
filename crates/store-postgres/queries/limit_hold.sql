-- In order, so that nobody waits in circles.
SELECT 1
FROM orloj.job_limit
WHERE engine = $1 AND (scope, name) IN (SELECT * FROM unnest($2::smallint[], $3::text[]))
ORDER BY scope, name
FOR UPDATE
