WITH gone AS (
    DELETE FROM orloj.instance AS i
    USING unnest($1::orloj.instance_gone[]) AS g
    WHERE i.key = g.key AND i.rev = g.expected_rev
    RETURNING 1
)
SELECT 1 / (count(*) = $2)::integer FROM gone
