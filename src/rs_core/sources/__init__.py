"""The stages of the sources."""
