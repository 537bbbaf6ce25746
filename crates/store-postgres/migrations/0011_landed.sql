-- A row for each group on disk, instead of a number in the row of its lane: while somebody keeps an
-- old snapshot, a row that every group updates leaves a version for each of them, and the next
-- update goes through all. The heartbeats of a node delete those that nobody will ask for.
CREATE TABLE orloj.landed (
    session bigint NOT NULL,
    lane smallint NOT NULL,
    group_id bigint NOT NULL,
    PRIMARY KEY (session, lane, group_id)
);

-- Who reopens a lane is told of its last group by `lane.group_id`. A trigger, because it comes after
-- the wait for a group under way and sees what that has written; the statement itself would not.
CREATE FUNCTION orloj.tell_landed()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    NEW.group_id := greatest(
        OLD.group_id,
        (
            SELECT max(l.group_id) FROM orloj.landed AS l
            WHERE l.session = NEW.session AND l.lane = NEW.lane
        )
    );
    RETURN NEW;
END
$$;
CREATE TRIGGER tell_landed BEFORE UPDATE OF epoch ON orloj.lane
FOR EACH ROW EXECUTE FUNCTION orloj.tell_landed();
