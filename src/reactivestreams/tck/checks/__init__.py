"""The checks, in a folder for each kind of subject and there in a file for each group of rules."""
