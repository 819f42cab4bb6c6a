"""Synchronization: atomic words and memory orders, exclusive use, waiting threads, event loops and their turns."""
