"""The parts that every check needs: state, settings, verdict with evidence, and the runner of checks."""
