SELECT *
FROM orloj.chore_log
WHERE engine = $1
    AND ($2::bigint IS NULL OR number < $2)
    AND ($4::bigint IS NULL OR job_key = $4)
    -- One bit for each event that is wanted.
    AND ($5::bigint = 0 OR ($5 >> event) & 1 = 1)
    AND ($6::bigint IS NULL OR definition_key = $6)
    AND ($7::bigint IS NULL OR batch_key = $7)
    AND ($8::text IS NULL OR message = $8)
ORDER BY number DESC
LIMIT $3
