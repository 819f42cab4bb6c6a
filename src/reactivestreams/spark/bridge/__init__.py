"""A stream as a streaming source of Spark: elements kept until Spark has committed them."""
