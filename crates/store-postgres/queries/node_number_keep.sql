INSERT INTO orloj.node_number AS kept (number, key_high) VALUES ($1, $2)
ON CONFLICT (number) DO UPDATE SET key_high = greatest(kept.key_high, excluded.key_high)
