# %%
"""A notebook: open this file in VS Code or, with jupytext, in Jupyter; each `# %%` begins a cell.

A kernel runs an event loop, and terminal operations work beside it. A stream and a pipeline that end a cell are drawn.
It is a program, too.

Prints:
    [(3, 4, 5), (6, 8, 10), (5, 12, 13), (9, 12, 15), (8, 15, 17), (12, 16, 20)]
    20
"""

from reactivestreams import Stream, pipeline

# %%
pythagorean = pipeline().filter(lambda sides: sides[0] ** 2 + sides[1] ** 2 == sides[2] ** 2)
triples = Stream.range(1, 21).flat_map(lambda c: [(a, b, c) for b in range(1, c) for a in range(1, b)])
triples.through(pythagorean)  # the last value of a cell is drawn: a box for each operator

# %%
print(triples.through(pythagorean).to_list())

# %%
print(triples.through(pythagorean).map(max).last())
