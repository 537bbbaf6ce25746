-- They belong to no definition and name their batch.
DELETE FROM job_definition WHERE definition_key = 0 AND configuration = CAST(?1 AS TEXT)
