"""This package on executors that do not have it: an archive, and how a session hands it out."""
