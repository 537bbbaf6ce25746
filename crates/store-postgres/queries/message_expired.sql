-- One that someone is taking at the moment is looked at next time.
WITH ended AS (
    SELECT key
    FROM orloj.message
    WHERE engine = $1 AND expires_at <= $2
    ORDER BY expires_at
    LIMIT $3
    FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM orloj.message AS m USING ended WHERE m.key = ended.key RETURNING m.key
),
forgotten AS (
    DELETE FROM orloj.message_taken AS t USING ended WHERE t.message_key = ended.key
)
SELECT count(*) FROM gone
