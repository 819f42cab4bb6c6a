"""The sources' stages."""
