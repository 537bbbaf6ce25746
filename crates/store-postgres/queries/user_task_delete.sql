DELETE FROM orloj.user_task WHERE key = ANY ($1)
