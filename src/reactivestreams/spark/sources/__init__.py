"""DataFrames as streams that compute what is asked for."""
