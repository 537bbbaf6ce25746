SELECT
    -- An interval starts at a multiple of its length, also before 1970.
    CASE WHEN $6::bigint IS NULL THEN 0 ELSE at - ((at % $6) + $6) % $6 END AS start,
    name,
    CASE WHEN $7::boolean THEN reporter END AS by_reporter,
    sum(value)::bigint
FROM orloj.meter
WHERE engine = $1
    AND ($2::text IS NULL OR name = $2)
    AND ($3::text IS NULL OR reporter = $3)
    AND ($4::bigint IS NULL OR at >= $4)
    AND ($5::bigint IS NULL OR at < $5)
GROUP BY 1, 2, 3
ORDER BY 1 DESC, 2, 3
LIMIT $8
