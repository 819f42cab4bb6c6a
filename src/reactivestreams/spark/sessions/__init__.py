"""Sessions of Spark: a Java that is found by itself, a quiet session, and the package in its workers' path."""
