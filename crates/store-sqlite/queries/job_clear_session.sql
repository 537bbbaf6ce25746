-- A range of the primary key: the session holds nothing below its floor.
UPDATE job SET lock_session = NULL
WHERE key >= (SELECT lock_floor FROM node WHERE session = ?1) AND lock_session = ?1
