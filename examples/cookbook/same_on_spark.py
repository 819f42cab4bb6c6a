"""The same pipeline on a stream here and on a DataFrame: a running total for each customer.

Needs the extra `spark`: pip install "reactive-streams-core[spark]", which brings a Java as well.

Prints:
    here:     [('ann', 3), ('bob', 5), ('ann', 10)]
    on Spark: [('ann', 3), ('ann', 10), ('bob', 5)]
"""

from reactivestreams import Stream, pipeline, spark

ORDERS = [(1, "ann", 3), (2, "bob", 5), (3, "ann", 7)]


def customer(order):
    return order[1]


def add(total, order):
    return order[1], total[1] + order[2]


totals = pipeline().key_by(customer).scan(add, ("", 0))

print("here:    ", Stream.from_iterable(ORDERS).through(totals).to_list())

session = spark.session("local[2]")
orders = session.createDataFrame(ORDERS, "number long, customer string, amount long")
result = spark.apply(totals, orders, schema="customer string, total long", as_="tuples", order_by="number")
print("on Spark:", sorted(spark.from_dataframe(result, as_="tuples").to_list()))
session.stop()
