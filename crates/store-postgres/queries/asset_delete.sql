UPDATE orloj.asset SET deleted = true WHERE key = $1 AND engine = $2 AND NOT deleted
