"""Move a program from reactivex: the pipe becomes methods, the callbacks become a loop, an error an exception.

Needs reactivex, to show both: pip install reactivex. What else differs is in the guide for those who migrate.

Prints:
    reactivex: [[4, 16], [36]] and then done
    here: [[4, 16], [36]] and then done
    here as a loop: [4, 16] [36]
"""

import reactivex
from reactivex import operators as ops

from reactivestreams import Stream

seen: list[list[int]] = []
reactivex.range(1, 7).pipe(
    ops.filter(lambda n: n % 2 == 0),
    ops.map(lambda n: n * n),
    ops.buffer_with_count(2),
).subscribe(seen.append, lambda error: print("failed", error), lambda: print("reactivex:", seen, "and then done"))

squares = (
    Stream.range(1, 7)  # the same arguments: the end is not included
    .filter(lambda n: n % 2 == 0)
    .map(lambda n: n * n)
    .buffer(2)
)
got: list[list[int]] = []
squares.for_each(got.append)  # returns at the end, and raises what `on_error` would have got
print("here:", got, "and then done")
print("here as a loop:", *squares)
