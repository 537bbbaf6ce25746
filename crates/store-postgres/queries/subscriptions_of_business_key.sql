SELECT s.*
FROM orloj.instance AS i
-- For each of the few instances, whatever the planner believes of a table that has just grown: the
-- offset keeps the conditions below out, by which it would read all who wait for the name.
CROSS JOIN LATERAL (
    SELECT * FROM orloj.subscription AS w WHERE w.instance_key = i.key AND w.kind = $2 OFFSET 0
) AS s
WHERE i.engine = $1
    -- The index has the beginning alone.
    AND left(i.business_key, 250) = left($9, 250)
    AND i.business_key = $9
    AND s.engine = $1
    AND ($3::bigint IS NULL OR s.key > $3)
    AND ($5::text IS NULL OR s.tenant = $5)
    AND ($6::text IS NULL OR s.name = $6)
    AND ($7::text IS NULL OR s.correlation_key = $7)
    AND ($8::bigint IS NULL OR s.instance_key = $8)
ORDER BY s.key
LIMIT $4
