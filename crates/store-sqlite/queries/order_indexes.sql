SELECT name FROM sqlite_schema WHERE type = 'index' AND name GLOB 'job_order_*'
