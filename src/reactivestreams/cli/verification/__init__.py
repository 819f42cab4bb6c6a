"""What the command `tck` is made of: find subjects, make verifications of them, run and show them."""
