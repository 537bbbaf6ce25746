-- No session is 0. The value must change, or no page would be written.
INSERT INTO lane (session, lane, group_id) VALUES (0, 0, 0)
ON CONFLICT (session, lane) DO UPDATE SET group_id = group_id + 1
