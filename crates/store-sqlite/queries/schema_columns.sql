SELECT t.name, c.name
FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
WHERE t.type = 'table'
