-- With another revision: whoever has the instance in memory reads it again.
UPDATE instance SET tenant = ?2, rev = rev + 1 WHERE key IN (SELECT value FROM json_each(?1))
