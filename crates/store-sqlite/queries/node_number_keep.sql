INSERT INTO node_number (number, key_high)
-- "true" keeps the parser from reading ON as the start of a join.
SELECT number, key_high FROM node WHERE session = ?1 AND true
ON CONFLICT (number) DO UPDATE SET key_high = max(key_high, excluded.key_high)
