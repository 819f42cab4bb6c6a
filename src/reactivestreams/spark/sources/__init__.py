"""DataFrames and streaming queries as streams that compute what is requested."""
