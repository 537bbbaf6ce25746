-- Refuses the group, by dividing by zero, when the lane is gone (the node was fenced) or was
-- reopened. The row lock makes fencing wait for a group under way.
WITH advanced AS (
    UPDATE orloj.lane SET group_id = $3
    WHERE session = $1 AND lane = $2 AND epoch = $4
    RETURNING 1
)
SELECT 1 / count(*) FROM advanced
