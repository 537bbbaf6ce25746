SELECT number, session, name, beat, seen_at, settings_seen, profile
FROM node
WHERE engine = ?1
ORDER BY number
