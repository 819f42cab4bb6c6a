"""Looking into streams that run: what each node knows of itself, which streams there are, and why one stands still."""
