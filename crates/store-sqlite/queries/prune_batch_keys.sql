-- By their keys: the plus keeps the indexes by age out of it.
DELETE FROM ended_batch WHERE +engine = ?1 AND key IN (SELECT value FROM json_each(?2))
