INSERT INTO node (
    number, engine, name, beat, seen_at, key_high, lock_floor, settings_seen, profile
)
VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6, 0, ?7)
RETURNING session
