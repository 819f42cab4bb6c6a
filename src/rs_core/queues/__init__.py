"""Bounded queues: rings for one and for many producers, one with an overflow policy; and a heap with stable order."""
