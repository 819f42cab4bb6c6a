"""What a batch function of a streaming query with state must do.

A task commits the state of its partition after it has read the whole partition, and Spark commits the batch when the
function returns. If the function leaves rows unread, their state is missing and the query can never continue, neither
after this batch nor from the one before. So unread rows are computed before the function returns.
"""

import re
from typing import TYPE_CHECKING

from reactivestreams.spark.jvm_calls import shown_plan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["compute", "is_stateful", "source_names"]

SHOWN_SOURCE = re.compile(r"^[\s:+|~-]*(StreamingRelation\w*)", re.MULTILINE)
"""A streaming leaf in the text of a plan."""

STATE_MARK = "state info ["
"""What the physical plan shows for each operator with state, of Spark and of keyed pipelines."""


def is_stateful(streaming_df: "DataFrame") -> bool:
    """Return whether a streaming query has state that lasts over micro-batches."""
    return STATE_MARK in shown_plan(streaming_df)


def source_names(streaming_df: "DataFrame") -> list[str]:
    """Return the kinds of the sources of a streaming query."""
    _, _, analyzed = shown_plan(streaming_df).partition("== Analyzed Logical Plan ==")
    return SHOWN_SOURCE.findall(analyzed.partition("\n== ")[0])


def compute(dataframe: "DataFrame") -> None:
    """Compute all rows and discard them."""
    dataframe.write.format("noop").mode("overwrite").save()
