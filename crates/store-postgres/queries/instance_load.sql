-- One statement, hence one snapshot: variables of another revision would be damage. Rows of the
-- second arm put the scope in the place of the definition, the name in that of the business key,
-- the tag in that of the revision and the bytes in that of the record.
SELECT
    i.key, i.rev, i.engine, i.tenant, i.definition_key, i.business_key, i.record, i.events, false,
    c.caller_key, c.root_key
FROM orloj.instance AS i
LEFT JOIN orloj.called AS c ON c.key = i.key
WHERE i.key = ANY ($1)
UNION ALL
SELECT instance_key, tag, engine, tenant, scope_key, name, bytes, NULL, true, NULL, NULL
FROM orloj.variable
WHERE instance_key = ANY ($1)
