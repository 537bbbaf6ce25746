INSERT INTO orloj.meter AS m (engine, name, at, reporter, value)
SELECT engine, name, at, reporter, sum(value)
FROM unnest($1::orloj.meter_in[])
GROUP BY engine, name, at, reporter
ORDER BY engine, name, at, reporter
ON CONFLICT (engine, name, at, reporter) DO UPDATE SET value = m.value + excluded.value
