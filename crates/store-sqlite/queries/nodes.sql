SELECT number, session, name, beat, seen_at FROM node ORDER BY number
