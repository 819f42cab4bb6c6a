"""The queues of schedulers and whose turn is next."""
