SELECT message_key, subscription_key, instance_key FROM orloj.fit_of($1, $2, $3, $4, $5)
