INSERT INTO orloj.node
    (number, engine, name, beat, seen_at, key_high, lock_floor, taken_floor, settings_seen, profile)
VALUES ($1, $2, $3, 0, $4, $5, $6, $7, 0, $8)
RETURNING session
