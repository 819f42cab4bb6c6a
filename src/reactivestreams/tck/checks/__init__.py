"""The checks: one folder per kind of subject, with one file per group of rules."""
