"""The plan of `apply`, in which everything is checked once."""
