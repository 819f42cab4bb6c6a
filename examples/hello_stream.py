"""Describe a stream, look at it, run it.

A stream is a value: nothing happens until something asks for its elements, and every run starts anew.

Prints:
    Stream.range(0, 10).filter(is_odd).map(square)
    [1, 9, 25, 49, 81]
    1
    165
"""

from reactivestreams import Stream


def is_odd(number: int) -> bool:
    return number % 2 == 1


def square(number: int) -> int:
    return number * number


squares = Stream.range(10).filter(is_odd).map(square)

print(squares)  # what it is: nothing has run yet
print(squares.to_list())
print(squares.first())  # takes one element and cancels the rest
print(squares.reduce(lambda total, number: total + number, 0))
