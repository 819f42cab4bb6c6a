"""What `apply` is going to do: everything checked once."""
