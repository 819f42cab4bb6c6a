"""The parts of the command `tck`: find subjects, make verifications of them, run them and show the results."""
