-- The lowest number that no live node has, and the highest key its earlier owners told of.
SELECT free.number::smallint, used.key_high
FROM generate_series(0, $1::integer) AS free (number)
LEFT JOIN orloj.node_number AS used ON used.number = free.number
WHERE NOT EXISTS (SELECT FROM orloj.node AS n WHERE n.number = free.number)
ORDER BY free.number
LIMIT 1
