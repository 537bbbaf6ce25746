-- Instances are found by their business keys; one that has none is not in the index.
CREATE INDEX instance_business_key ON instance (engine, business_key)
    WHERE business_key IS NOT NULL;
-- The messages that those instances wait for. Every wait for a message has an entry.
CREATE INDEX subscription_instance ON subscription (instance_key) WHERE kind = 0;
