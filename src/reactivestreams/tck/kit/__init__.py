"""What every check needs: its state and settings, the verdict with its evidence, and how checks are run."""
