DELETE FROM orloj.variable AS v
USING unnest($1::orloj.variable_gone[]) AS g
WHERE v.instance_key = g.instance_key AND v.scope_key = g.scope_key AND v.name = g.name
