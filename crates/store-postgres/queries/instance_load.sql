-- One statement, hence one snapshot: variables of another revision would be damage. Rows of the
-- second arm put the scope in the place of the definition, the name in that of the business key,
-- the tag in that of the revision and the bytes in that of the record.
SELECT key, rev, engine, tenant, definition_key, business_key, record, events, false
FROM orloj.instance
WHERE key = ANY ($1)
UNION ALL
SELECT instance_key, tag, engine, tenant, scope_key, name, bytes, NULL, true
FROM orloj.variable
WHERE instance_key = ANY ($1)
