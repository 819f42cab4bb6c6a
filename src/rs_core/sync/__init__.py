"""What threads share: atomic words and their orders, exclusive use, waiting threads, event loops and their turns."""
