-- With another revision: whoever has the instance in memory reads it again.
UPDATE orloj.instance SET tenant = $2, rev = rev + 1 WHERE key = ANY ($1)
