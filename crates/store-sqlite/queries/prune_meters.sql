DELETE FROM meter
WHERE (engine, name, at, reporter) IN (
    SELECT engine, name, at, reporter
    FROM meter INDEXED BY meter_age
    WHERE engine = ?1 AND at < ?2
    LIMIT ?3
)
