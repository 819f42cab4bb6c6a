"""The pipeline of the flights demo: one value, described once, run unchanged on Spark and here.

An input element is `(row, scheduled, line)`: a source row number, counted from 1, the scheduled departure, and the raw
CSV line; the elements of a key are ordered by `ORDER_COLUMNS`. A result is a tuple of ints and strings, named by
`RESULT_COLUMNS`, so that Spark can transport it and it compares exactly. Sums are whole minutes; a mean is computed
from sum and count where it is shown. Between the operators, elements and states are also plain tuples, and the rolling
window bounds the size of a state.
"""

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple, cast

import reactivestreams as rs
from reactivestreams.demo.flights_parsing import Row, parse_or_reject, parse_row
from reactivestreams.errors import ArgumentError

__all__ = [
    "ORDER_COLUMNS",
    "RESULT_COLUMNS",
    "RESULT_SCHEMA",
    "Result",
    "Thresholds",
    "flights_pipeline",
]

OnCorrupt = Literal["error", "reject"]

ORDER_COLUMNS = ("scheduled", "row")
"""The order of the elements of a key: by the scheduled departure, and equal ones by the row number."""

DAY_CHARACTERS = len("2013-01-01")

MAX_KEYS = 1_024
"""The maximum of pairs of origin and carrier with state in one run; the flights of 2013 have 35. One more fails the run
with an error that names the bound."""


class Result(NamedTuple):
    """One result of the pipeline, which is the plain tuple of these fields."""

    row: int
    origin: str
    carrier: str
    scheduled: str
    """The scheduled departure in local time, such as `2013-01-01T05:15`; empty if it is why the row was rejected."""
    hour: int
    delay: int
    flights: int
    """Flights of this origin and carrier on this day, including this one."""
    delay_sum: int
    worst: int
    rolling_sum: int
    rolling_count: int
    alarm: int
    """1 if the rolling mean exceeds the threshold with this flight, else 0."""
    problem: str
    """Empty for a flight; else the row was rejected, origin and carrier are empty and flights counts the rejected
    rows."""

    @property
    def day(self) -> str:
        """The day of the scheduled departure, in ISO 8601."""
        return self.scheduled[:DAY_CHARACTERS]


RESULT_COLUMNS = Result._fields
RESULT_SCHEMA = ", ".join(
    f"{name} {'string' if kind is str else 'long'}" for name, kind in Result.__annotations__.items()
)
"""The columns of `Result` as a Spark schema."""


class Thresholds(NamedTuple):
    """The thresholds of the alarm for an origin and carrier.

    The rolling mean is the mean departure delay of the last `window_flights` flights by scheduled departure, also
    across days; with fewer flights there is no alarm. The flight with which the mean rises above `raise_minutes` raises
    one alarm. It is armed again when the mean has fallen below `rearm_minutes`; the gap between the two (the
    hysteresis) prevents repeated alarms of a mean near the threshold.
    """

    window_flights: int = 30
    raise_minutes: int = 60
    rearm_minutes: int = 30


THRESHOLDS = Thresholds()
"""The thresholds of the demo."""

# day, count, delay_sum, worst | window, rolling_sum, raised | the result of the last element
State = tuple[str, int, int, int, tuple[int, ...], int, int, tuple[int | str, ...]]
SEED: State = ("", 0, 0, 0, (), 0, 0, ())


def has_departed(flight: tuple[int | str | None, ...]) -> bool:
    """Return whether a flight departed: a cancelled one has no departure delay.

    A flight that departed and has no arrival delay was diverted; it counts. Rejected rows pass too.
    """
    return flight[5] is not None


def origin_and_carrier(flight: tuple[int | str | None, ...]) -> tuple[int | str | None, ...]:
    """Return the key of a flight; all rejected rows share the key `("", "")`."""
    return flight[1:3]


def follow_day_and_window(
    thresholds: Thresholds, state: State, flight: tuple[int, str, str, str, int, int, str]
) -> State:
    """Return the state of an origin and carrier after one more flight; its last field is the result for that flight.

    Flights are ordered by scheduled departure, so only the sums of one day are kept: a flight of another day starts new
    ones.
    """
    day, count, delay_sum, worst, window, rolling_sum, raised, _ = state
    row, origin, carrier, scheduled, hour, delay, problem = flight
    if problem:
        return ("", count + 1, 0, 0, (), 0, 0, (row, "", "", scheduled, 0, 0, count + 1, 0, 0, 0, 0, 0, problem))
    flight_day = scheduled[:DAY_CHARACTERS]
    if flight_day == day:
        count, delay_sum, worst = count + 1, delay_sum + delay, max(worst, delay)
    else:
        count, delay_sum, worst = 1, delay, delay
    if len(window) == thresholds.window_flights:
        rolling_sum -= window[0]
        window = window[1:]
    window = (*window, delay)
    rolling_sum += delay
    rolling_count = len(window)
    alarm = 0
    if raised:
        raised = int(rolling_sum >= thresholds.rearm_minutes * rolling_count)
    elif rolling_count == thresholds.window_flights and rolling_sum >= thresholds.raise_minutes * rolling_count:
        raised = alarm = 1
    result = (
        row,
        origin,
        carrier,
        scheduled,
        hour,
        delay,
        count,
        delay_sum,
        worst,
        rolling_sum,
        rolling_count,
        alarm,
        "",
    )
    return (flight_day, count, delay_sum, worst, window, rolling_sum, raised, result)


def result_of(state: State) -> tuple[int | str, ...]:
    """Return the result in a state."""
    return state[-1]


def flights_pipeline(
    *, on_corrupt: OnCorrupt = "error", thresholds: Thresholds = THRESHOLDS
) -> "rs.Pipeline[Row, tuple[int | str, ...]]":
    """Describe the pipeline: parse, drop cancelled flights, key by origin and carrier, compute the sums.

    Args:
        on_corrupt: `"error"` (default): a corrupt row fails the run with a `CorruptRowError`. `"reject"`: it becomes a
            result whose `problem` describes the error, and is counted; no row is lost silently.
        thresholds: The thresholds of the alarm; by default a mean of 60 minutes over 30 flights.

    Returns:
        A value without a source: `Stream.through` runs it here, `reactivestreams.spark.apply` runs it on executors.

    Raises:
        ArgumentError: `on_corrupt` is neither word, the window is empty or the alarm would be armed above the
            threshold.

    Example:
        >>> line = "2013,1,1,517,515,2,830,819,11,UA,1545,N14228,EWR,IAH,227,1400,5,15,2013-01-01T10:00:00Z"
        >>> rs.Stream.just((1, "2013-01-01T05:15", line)).through(flights_pipeline()).to_list()
        [(1, 'EWR', 'UA', '2013-01-01T05:15', 5, 2, 1, 2, 2, 2, 1, 0, '')]
    """
    if on_corrupt not in ("error", "reject"):
        raise ArgumentError(f'on_corrupt is {on_corrupt!r}; use "error" or "reject"')
    if thresholds.window_flights < 1:
        raise ArgumentError(f"the rolling window must hold 1 flight or more, got {thresholds.window_flights}")
    if thresholds.rearm_minutes > thresholds.raise_minutes:
        raise ArgumentError(
            f"an alarm raised at {thresholds.raise_minutes} minutes cannot be armed again at "
            f"{thresholds.rearm_minutes}; use rearm_minutes <= raise_minutes"
        )
    # Rows that pass `has_departed` have all fields of a flight, which the type of a filter cannot express.
    follow = cast("Callable[[State, tuple[int | str | None, ...]], State]", partial(follow_day_and_window, thresholds))
    return (
        rs.pipeline()
        .map(parse_row if on_corrupt == "error" else parse_or_reject)
        .filter(has_departed)
        .key_by(origin_and_carrier, max_keys=MAX_KEYS)
        .scan(follow, SEED)
        .map(result_of)
    )
