"""The timeline shows who sent what to whom, in order; it shortens floods and says how much is missing."""

from reactivestreams.tck.kit.signal_log import SignalLog, SignalRecord, Step
from reactivestreams.tck.kit.timeline import LONGEST_RUN, MOST_ROWS, Arrow, Gap, Note, timeline
from tests.tck.report_examples import FAILED


def signals(count: int, *, start: int = 0, thread: str = "worker") -> list[SignalRecord]:
    return [SignalRecord(0.0, thread, "subscriber 1", "on_next", str(n), n) for n in range(start, start + count)]


def test_signals_have_senders_and_steps_stand_between_them() -> None:
    shown = FAILED.evidence.timeline()
    assert shown.parties == ("publisher", "subscriber 1")
    assert shown.threads == ("the check", "worker-1", "worker-2")
    assert list(shown.rows) == [
        Arrow(0.0001, "subscriber 1", "publisher", "subscribe(subscriber 1)", "the check"),
        Arrow(0.0002, "publisher", "subscriber 1", "on_subscribe(<Link>)", "the check"),
        Note(0.001, "request(0)", is_breach=False),
        Arrow(0.002, "subscriber 1", "publisher", "request(0)", "worker-1"),
        Arrow(0.003, "publisher", "subscriber 1", "on_next(7)", "worker-2"),
        Arrow(0.004, "publisher", "subscriber 1", "on_complete()", "worker-2"),
        Arrow(0.005, "subscriber 1", "publisher", "cancel()", "worker-1"),
        Note(0.4, "§1.4: silent", is_breach=True),
    ]
    assert str(shown.rows[0]) == "      0.1 ms    subscriber 1 -> publisher: subscribe(subscriber 1)  [the check]"
    assert str(shown.rows[-1]) == "    400.0 ms  ! §1.4: silent"


def test_subscription_without_an_owner_stands_for_itself() -> None:
    def parties(receiver: str) -> tuple[str, ...]:
        return timeline([], [SignalRecord(0.0, "worker", receiver, "cancel", "", 0)]).parties

    assert parties("subscription 2") == ("subscription 2", "subscriber")
    assert parties("subscription 1") == ("publisher", "subscriber")


def arrows(*records: tuple[str, str, str]) -> list[tuple[str, str, str]]:
    """Return (sender, receiver, label) for signals given as (receiver, signal, argument)."""
    signals = [
        SignalRecord(0.0, "t", receiver, signal, argument, n) for n, (receiver, signal, argument) in enumerate(records)
    ]
    rows = timeline([], signals).rows
    assert all(isinstance(row, Arrow) for row in rows)
    return [(row.sender, row.receiver, row.label) for row in rows if isinstance(row, Arrow)]


def test_processor_stands_between_its_publisher_and_its_subscribers() -> None:
    assert arrows(
        ("subscriber", "on_subscribe", "<s>"),
        ("publisher", "subscribe", "subscriber 1"),
        ("subscriber 1", "on_subscribe", "<s>"),
        ("subscriber 1's subscription", "request", "2"),
        ("subscription 1", "request", "1"),
        ("subscriber", "on_next", "7"),
        ("subscriber 1", "on_next", "7"),
    ) == [
        ("publisher", "processor", "on_subscribe(<s>)"),
        ("subscriber 1", "processor", "subscribe(subscriber 1)"),
        ("processor", "subscriber 1", "on_subscribe(<s>)"),
        ("subscriber 1", "processor", "request(2)"),
        ("processor", "publisher", "request(1)"),
        ("publisher", "processor", "on_next(7)"),
        ("processor", "subscriber 1", "on_next(7)"),
    ]


def test_feed_of_the_kit_is_left_out_without_a_gap() -> None:
    assert arrows(
        ("publisher", "subscribe", "source of elements"),
        ("source of elements", "on_subscribe", "<s>"),
        ("subscriber", "on_subscribe", "<s>"),
        ("source of elements's subscription", "request", "1"),
        ("source of elements", "on_next", "0"),
        ("subscriber", "on_next", "0"),
    ) == [("publisher", "subscriber", "on_subscribe(<s>)"), ("publisher", "subscriber", "on_next(0)")]


def test_flood_is_shortened_to_its_ends_and_counted() -> None:
    shown = timeline([], signals(LONGEST_RUN + 1))
    assert [row.label if isinstance(row, Arrow) else row for row in shown.rows] == [
        *("on_next(0)", "on_next(1)"),
        Gap(LONGEST_RUN - 2),
        f"on_next({LONGEST_RUN})",
    ]
    assert len(timeline([], signals(LONGEST_RUN)).rows) == LONGEST_RUN


def test_turns_that_repeat_are_shortened_to_the_first_and_the_last() -> None:
    turns = [
        SignalRecord(0.0, "t", receiver, signal, str(n), 2 * n + part)
        for n in range(100)
        for part, (receiver, signal) in enumerate(
            [("subscriber 1's subscription", "request"), ("subscriber 1", "on_next")]
        )
    ]
    end = SignalRecord(0.0, "t", "subscriber 1", "on_complete", "", 200)
    shown = timeline([], [*turns, end])
    assert [row.label if isinstance(row, Arrow) else row for row in shown.rows] == [
        *("request(0)", "on_next(0)"),
        Gap(196),
        *("request(99)", "on_next(99)", "on_complete()"),
    ]


def test_findings_that_differ_in_numbers_only_are_shortened() -> None:
    found = [Step(0.0, f"! §1.1: element {n} was not requested", n) for n in range(100)]
    assert [row for row in timeline(found, []).rows if isinstance(row, Gap)] == [Gap(96)]


def test_entries_that_the_log_left_out_are_counted() -> None:
    shown = timeline([Step(0.0, "before", 0)], signals(1, start=10))
    assert shown.rows[1] == Gap(9)


def test_long_log_loses_its_middle_and_counts_what_is_gone() -> None:
    taking_turns = [signal for n in range(MOST_ROWS + 10) for signal in signals(1, start=n, thread=f"t{n}")]
    shown = timeline([], taking_turns)
    assert len(shown.rows) == MOST_ROWS + 1
    assert shown.rows[MOST_ROWS // 2] == Gap(10)
    flooded = timeline([], [*taking_turns, *signals(1, start=1000)])
    assert sum(row.count if isinstance(row, Gap) else 1 for row in flooded.rows) == 1001


def test_cancel_in_a_flood_of_elements_is_kept() -> None:
    log = SignalLog(kept_entries=3)
    for number in range(10):
        log.signal("subscriber 1", "on_next", number)
    log.signal("subscriber 1's subscription", "cancel")
    for number in range(10):
        log.signal("subscriber 1", "on_next", number)
    assert [(record.signal, record.order) for record in log.signals] == [
        *(("on_next", 0), ("on_next", 1), ("on_next", 2)),
        ("cancel", 10),
        *(("on_next", 18), ("on_next", 19), ("on_next", 20)),
    ]
    assert log.omitted_signals == 14


def test_rarer_signals_are_bounded_too() -> None:
    log = SignalLog(kept_entries=2)
    for number in range(10):
        log.signal("subscriber 1's subscription", "request", number)
    assert [record.argument for record in log.signals] == ["0", "1", "2", "3", "8", "9"]
    assert log.omitted_signals == 4
