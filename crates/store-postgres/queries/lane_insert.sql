INSERT INTO orloj.lane (session, lane, group_id, epoch)
SELECT $1, number, 0, 0 FROM generate_series(0, $2::integer - 1) AS lanes (number)
