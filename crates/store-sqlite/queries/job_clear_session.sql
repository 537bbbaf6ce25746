-- A range of the primary key: below its floor the session holds nothing that is not listed.
UPDATE job SET lock_session = NULL
WHERE key >= (SELECT lock_floor FROM node WHERE session = ?1) AND lock_session = ?1
