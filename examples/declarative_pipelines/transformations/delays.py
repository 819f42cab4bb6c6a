"""Spark's declarative pipelines with a pipeline of this package: run `spark-pipelines run` in the folder above."""

from pyspark import pipelines as declared
from pyspark.sql import DataFrame, SparkSession

from reactivestreams.spark import apply
from reactivestreams.stream import pipeline

spark = SparkSession.active()
flights = spark.createDataFrame([("EWR", 5), ("JFK", -2), ("LGA", 7)], "origin string, delay int")
late_only = pipeline().filter(lambda row: row.delay > 0).map(lambda row: (row.origin, row.delay / 60))

# Not inside a query function, where Spark refuses to analyse a DataFrame, and `apply` needs the columns of `flights`.
late_flights = apply(late_only, flights, schema="origin string, hours double")


@declared.materialized_view
def late() -> DataFrame:
    """Return the late flights."""
    return late_flights


@declared.materialized_view
def latest() -> DataFrame:
    """Return the longest delay, by a query of Spark on the view above."""
    return spark.table("late").selectExpr("max(hours) AS hours")
