-- Below every id a lane can send.
INSERT INTO lane (session, lane, group_id) VALUES (?1, ?2, -1)
