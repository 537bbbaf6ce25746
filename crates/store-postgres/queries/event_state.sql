-- What changes may expect to be otherwise: which messages are there, who took them, which ids are in
-- use, and where broadcasts are. The first column tells which of them a row is about.
SELECT 1::smallint, m.key, NULL
FROM orloj.message AS m
WHERE m.key = ANY ($1)
UNION ALL
SELECT 2::smallint, t.message_key, t.process_id
FROM orloj.message_taken AS t
WHERE t.message_key = ANY ($1)
UNION ALL
SELECT 3::smallint, r.key, NULL
FROM unnest($2::orloj.message_in[]) AS r
JOIN orloj.message AS m
    ON m.engine = r.engine AND m.tenant = r.tenant AND m.name = r.name
    AND m.correlation_key = r.correlation_key AND m.message_id = r.message_id
WHERE m.expires_at > $4
UNION ALL
SELECT 4::smallint, b.key, b.place
FROM orloj.broadcast AS b
WHERE b.key = ANY ($3)
