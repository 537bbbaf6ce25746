SELECT max(version) FROM orloj.schema_version
