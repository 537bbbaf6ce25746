-- One statement, hence one snapshot: variables or pages of another revision would be damage. The
-- ninth column tells the arms apart: 0 instances, 1 variables, 2 pages. Rows of the second arm put
-- the scope in the place of the definition, the name in that of the business key, the tag in that
-- of the revision and the bytes in that of the record; those of the third likewise the lowest key,
-- nothing, the kind and the bytes.
SELECT
    i.key, i.rev, i.engine, i.tenant, i.definition_key, i.business_key, i.record, i.events,
    0::smallint, c.caller_key, c.root_key, (i.at_hand).key
FROM orloj.instance AS i
LEFT JOIN orloj.called AS c ON c.key = i.key
WHERE i.key = ANY ($1)
UNION ALL
SELECT
    instance_key, tag, engine, tenant, scope_key, name, bytes, NULL, 1::smallint, NULL, NULL, NULL
FROM orloj.variable
WHERE instance_key = ANY ($1)
UNION ALL
SELECT
    instance_key, kind, engine, tenant, first_key, NULL, bytes, NULL, 2::smallint, NULL, NULL, NULL
FROM orloj.instance_page
WHERE instance_key = ANY ($1)
