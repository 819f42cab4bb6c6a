"""Describe a pipeline once; run it here and on Spark's executors.

Needs the extra `spark`: pip install "reactive-streams-core[spark]", which brings a Java as well.

Prints:
    here:     [('EWR', 10), ('JFK', -3), ('EWR', 25), ('JFK', 4)]
    on Spark: [('EWR', 10), ('EWR', 25), ('JFK', -3), ('JFK', 4)]
"""

from reactivestreams import Stream, pipeline, spark

FLIGHTS = [(1, "EWR", 10), (2, "JFK", -3), (3, "LGA", None), (4, "EWR", 15), (5, "JFK", 7)]


def departed(flight):
    return flight[2] is not None


def origin(flight):
    return flight[1]


def add_delay(total, flight):
    return (flight[1], total[1] + flight[2])


running_delay = pipeline().filter(departed).key_by(origin).scan(add_delay, ("", 0))

print("here:    ", Stream.from_iterable(FLIGHTS).through(running_delay).to_list())

session = spark.session("local[2]")
flights = session.createDataFrame(FLIGHTS, "row long, origin string, delay long")
delays = spark.apply(running_delay, flights, schema="origin string, delay long", as_="tuples", order_by="row")
print("on Spark:", sorted(spark.from_dataframe(delays, as_="tuples").to_list()))
session.stop()
