-- Those that have rows come first; the others are looked through only if it is none of them.
SELECT * FROM orloj.any_job WHERE key = $1 LIMIT 1
