"""The peers that checks connect to a subject: observing and misbehaving subscribers, publishers and subscriptions."""
