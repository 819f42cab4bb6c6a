"""The queues of schedulers, which decide which task runs next."""
