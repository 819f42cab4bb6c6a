"""Sessions of Spark: finding Java, quiet sessions, and this package on the path of the workers."""
