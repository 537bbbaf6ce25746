-- Dividing by zero takes the whole transaction back when one revision was not the expected one.
WITH steps AS (
    UPDATE orloj.instance AS i
    SET rev = s.rev, record = s.record, events = s.events
    FROM unnest($1::orloj.instance_step[]) AS s
    WHERE i.key = s.key AND i.rev = s.expected_rev
    RETURNING 1
)
SELECT 1 / (count(*) = $2)::integer FROM steps
