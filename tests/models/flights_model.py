"""What the flights pipeline must give, worked out the long way: whole groups in memory, every window summed anew."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import groupby

from reactivestreams.demo.flights_data import SOURCE_COLUMNS
from reactivestreams.demo.flights_pipeline import Result, Thresholds


def expected_results(rows: Iterable[tuple[int, str, str]], thresholds: Thresholds) -> list[Result]:
    """Return the results for rows without a corrupt one, in the order of their scheduled departure.

    The rows may come in any order; the time that stands beside a line is not looked at.
    """
    groups: dict[tuple[str, str], list[tuple[int, dict[str, str]]]] = defaultdict(list)
    places: dict[int, tuple[int, ...]] = {}
    for number, _, line in rows:
        flight = dict(zip(SOURCE_COLUMNS, line.split(","), strict=True))
        places[number] = (*(int(flight[part]) for part in ("year", "month", "day", "sched_dep_time")), number)
        if flight["dep_delay"] not in ("", "NA"):
            groups[flight["origin"], flight["carrier"]].append((number, flight))
    for flights in groups.values():
        flights.sort(key=lambda flight: places[flight[0]])
    results = [result for key, flights in groups.items() for result in results_of_key(key, flights, thresholds)]
    return sorted(results, key=lambda result: places[result.row])


def results_of_key(
    key: tuple[str, str], flights: list[tuple[int, dict[str, str]]], thresholds: Thresholds
) -> list[Result]:
    delays = [int(flight["dep_delay"]) for _, flight in flights]
    windows = [delays[max(0, index + 1 - thresholds.window_flights) : index + 1] for index in range(len(delays))]
    alarms = alarm_places(windows, thresholds)
    results: list[Result] = []
    for day, of_day in groupby(flights, key=lambda flight: day_of(flight[1])):
        so_far: list[int] = []
        for number, flight in of_day:
            so_far.append(int(flight["dep_delay"]))
            window = windows[len(results)]
            results.append(
                Result(
                    row=number,
                    origin=key[0],
                    carrier=key[1],
                    scheduled=f"{day}T{time_of(flight)}",
                    hour=int(flight["hour"]),
                    delay=so_far[-1],
                    flights=len(so_far),
                    delay_sum=sum(so_far),
                    worst=max(so_far),
                    rolling_sum=sum(window),
                    rolling_count=len(window),
                    alarm=int(len(results) in alarms),
                    problem="",
                )
            )
    return results


def day_of(flight: dict[str, str]) -> str:
    return "-".join((flight["year"].zfill(4), flight["month"].zfill(2), flight["day"].zfill(2)))


def time_of(flight: dict[str, str]) -> str:
    digits = flight["sched_dep_time"].zfill(4)
    return f"{digits[:2]}:{digits[2:]}"


def alarm_places(windows: list[list[int]], thresholds: Thresholds) -> set[int]:
    """Return where an alarm is raised: at each crossing that follows a fall below the lower threshold."""
    places: set[int] = set()
    armed = True
    for index, window in enumerate(windows):
        total, count = sum(window), len(window)
        if armed and count == thresholds.window_flights and total >= thresholds.raise_minutes * count:
            places.add(index)
            armed = False
        elif total < thresholds.rearm_minutes * count:
            armed = True
    return places
