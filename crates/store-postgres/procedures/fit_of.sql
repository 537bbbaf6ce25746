-- The oldest message of a channel that an open subscription could get, and that subscription.
-- A message goes to each process once.
CREATE OR REPLACE FUNCTION orloj.fit_of(
    of_engine text,
    of_tenant text,
    of_name text,
    of_correlation_key text,
    at bigint
)
RETURNS TABLE (message_key bigint, subscription_key bigint, instance_key bigint)
LANGUAGE sql
STABLE
AS $$
    SELECT m.key, s.key, s.instance_key
    FROM orloj.message AS m
    CROSS JOIN orloj.subscription AS s
    LEFT JOIN orloj.definition AS d ON d.key = s.definition_key
    WHERE m.engine = of_engine AND m.tenant = of_tenant AND m.name = of_name
        AND m.correlation_key = of_correlation_key
        AND m.expires_at > at
        AND s.engine = of_engine AND s.kind = 0 AND s.name = of_name
        AND s.correlation_key = of_correlation_key AND s.correlation_key IS NOT NULL
        AND s.tenant = of_tenant
        AND NOT EXISTS (
            SELECT
            FROM orloj.message_taken AS t
            WHERE t.message_key = m.key AND t.process_id = d.process_id
        )
    ORDER BY m.key, s.key
    LIMIT 1
$$;
