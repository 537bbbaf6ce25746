-- Between two numbers: what lies before the first is deleted already, and looking there would go
-- through all that somebody with an old snapshot may still see.
DELETE FROM orloj.landed AS l
USING unnest($2::smallint[], $3::bigint[], $4::bigint[]) AS past (lane, first, last)
WHERE l.session = $1 AND l.lane = past.lane AND l.group_id >= past.first AND l.group_id < past.last
