"""The readable form of a check's log: who sent what to whom, in order, with floods shortened."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby

from reactivestreams.tck.kit.signal_log import CHECK_THREAD, FEED, SignalRecord, Step

__all__ = ["Arrow", "Gap", "Note", "Row", "Timeline", "timeline"]

MOST_ROWS = 50
"""The maximum of rows: half of them from the start of the log, half from its end."""

LONGEST_RUN = 5
"""How many consecutive signals that differ only in their argument are shown; of more, the first two and the last."""

LONGEST_TURN = 6
"""The maximum of entries in one cycle of repeating signals, such as a request and its element."""

SHOWN_TURNS = 2
"""How many cycles of several entries are shown; of more, the first and the last."""

PUBLISHER = "publisher"
SUBSCRIBER = "subscriber"
PROCESSOR = "processor"
_OWNED = "'s subscription"
_BREACH = "! "
_FIRST_SUBSCRIPTION = "subscription 1"
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Arrow:
    """A signal from one party to another."""

    at_seconds: float
    sender: str
    receiver: str
    label: str
    thread: str

    def __str__(self) -> str:
        return f"{_time(self.at_seconds)}    {self.sender} -> {self.receiver}: {self.label}  [{self.thread}]"


@dataclass(frozen=True, slots=True)
class Note:
    """A step of the check, or a failure that it found."""

    at_seconds: float
    text: str
    is_breach: bool

    def __str__(self) -> str:
        return f"{_time(self.at_seconds)}  {_BREACH if self.is_breach else ''}{self.text}"


@dataclass(frozen=True, slots=True)
class Gap:
    """Omitted entries, here or in the log itself."""

    count: int

    @property
    def text(self) -> str:
        """Their number, in words."""
        return f"{self.count} more"

    def __str__(self) -> str:
        return f"{'':12}    ... {self.text} ..."


Row = Arrow | Note | Gap


@dataclass(frozen=True, slots=True)
class Timeline:
    """The rows, from first to last; `str` of a row is a line of text.

    Attributes:
        parties: The senders and receivers, the publishing side first, each side in the order of its appearance.
        threads: Names of the threads that signals came from, in the order of their appearance.
        rows: The entries.
    """

    parties: tuple[str, ...]
    threads: tuple[str, ...]
    rows: tuple[Row, ...]


def timeline(steps: Iterable[Step], signals: Iterable[SignalRecord]) -> Timeline:
    """Return steps and signals in one order.

    Repeating signals are shortened to the first two and the last, and repeating cycles of several entries to the first
    and the last cycle; numbers are ignored. A log that is still too long loses its middle. Where entries are missing, a
    row says how many. Parties and threads are those of the remaining rows.

    Args:
        steps: The steps of the check.
        signals: The signals that its probes saw.

    Example:
        >>> from reactivestreams.tck.kit.signal_log import SignalRecord
        >>> record = SignalRecord(0.001, "MainThread", "subscriber 1's subscription", "request", "3", 0)
        >>> found = timeline([], [record])
        >>> found.parties, found.rows[0].sender, found.rows[0].label
        (('publisher', 'subscriber 1'), 'subscriber 1', 'request(3)')
    """
    entries = _without_feed(sorted([*steps, *signals], key=lambda entry: entry.order))
    shown = _without_turns([entry for _, run in groupby(entries, key=_alike) for entry in _ends_of(list(run))])
    rows = _without_middle(_with_gaps(shown, is_processor=_has_processor(entries)))
    arrows = [row for row in rows if isinstance(row, Arrow)]
    parties = dict.fromkeys(party for arrow in arrows for party in (arrow.sender, arrow.receiver))
    return Timeline(
        parties=tuple(sorted(parties, key=_side)),
        threads=tuple(dict.fromkeys(arrow.thread for arrow in arrows)),
        rows=tuple(rows),
    )


def _without_feed(entries: list[SignalRecord | Step]) -> list[SignalRecord | Step]:
    """Return the entries without those of the feed, with consecutive numbers."""
    kept: list[SignalRecord | Step] = []
    left_out = 0
    for entry in entries:
        if isinstance(entry, SignalRecord) and FEED in (entry.receiver.removesuffix(_OWNED), entry.argument):
            left_out += 1
        else:
            kept.append(replace(entry, order=entry.order - left_out))
    return kept


def _has_processor(entries: list[SignalRecord | Step]) -> bool:
    """Return whether the subject is between a publisher of the kit and subscribers of the kit."""
    receivers = {entry.receiver for entry in entries if isinstance(entry, SignalRecord)}
    return SUBSCRIBER in receivers and any(name.startswith(f"{SUBSCRIBER} ") for name in receivers)


def _alike(entry: SignalRecord | Step) -> tuple[object, ...]:
    if isinstance(entry, Step):
        return (entry.order,)
    return entry.receiver, entry.signal, entry.thread


def _ends_of(run: list[SignalRecord | Step]) -> list[SignalRecord | Step]:
    return run if len(run) <= LONGEST_RUN else [*run[:2], run[-1]]


def _without_turns(entries: list[SignalRecord | Step]) -> list[SignalRecord | Step]:
    """Return the entries without the middle cycles of repetitions: shorter cycles first, and single entries last."""
    for length in (*range(2, LONGEST_TURN + 1), 1):
        kinds = [_kind(entry) for entry in entries]
        kept: list[SignalRecord | Step] = []
        position = 0
        while position < len(entries):
            turn = kinds[position : position + length]
            end = position + length
            while kinds[end : end + length] == turn:
                end += length
            if (end - position) // length > (SHOWN_TURNS if length > 1 else LONGEST_RUN):
                kept += [*entries[position : position + length], *entries[end - length : end]]
                position = end
            else:
                kept.append(entries[position])
                position += 1
        entries = kept
    return entries


def _kind(entry: SignalRecord | Step) -> tuple[object, ...]:
    if isinstance(entry, Step):
        return (_NUMBER.sub("0", entry.text),)
    return entry.receiver, entry.signal, entry.thread


def _with_gaps(entries: list[SignalRecord | Step], *, is_processor: bool) -> list[Row]:
    rows: list[Row] = []
    for before, entry in zip([None, *entries], entries, strict=False):
        missing = 0 if before is None else entry.order - before.order - 1
        if missing > 0:
            rows.append(Gap(missing))
        rows.append(_row(entry, is_processor=is_processor))
    return rows


def _without_middle(rows: list[Row]) -> list[Row]:
    if len(rows) <= MOST_ROWS:
        return rows
    half = MOST_ROWS // 2
    hidden = sum(row.count if isinstance(row, Gap) else 1 for row in rows[half:-half])
    return [*rows[:half], Gap(hidden), *rows[-half:]]


def _row(entry: SignalRecord | Step, *, is_processor: bool) -> Row:
    if isinstance(entry, Step):
        return Note(entry.at_seconds, entry.text.removeprefix(_BREACH), entry.text.startswith(_BREACH))
    sender, receiver = _between(entry) if is_processor else _ends(entry)
    thread = "the check" if entry.thread.startswith(CHECK_THREAD) else entry.thread
    return Arrow(entry.at_seconds, sender, receiver, f"{entry.signal}({entry.argument})", thread)


def _ends(record: SignalRecord) -> tuple[str, str]:
    """Return the sender and the receiver of a signal; a subscription counts as its publisher."""
    if record.signal == "subscribe":
        return record.argument, record.receiver
    if record.signal not in ("request", "cancel"):
        return PUBLISHER, record.receiver
    if record.receiver.endswith(_OWNED):
        return record.receiver.removesuffix(_OWNED), PUBLISHER
    return SUBSCRIBER, PUBLISHER if record.receiver == _FIRST_SUBSCRIPTION else record.receiver


def _between(record: SignalRecord) -> tuple[str, str]:
    """Return the same for a processor: the subscriber of one side and the publisher of the other."""
    sender, receiver = _ends(record)
    is_upstream = SUBSCRIBER in (sender, receiver)
    role = SUBSCRIBER if is_upstream else PUBLISHER
    return (PROCESSOR if sender == role else sender), (PROCESSOR if receiver == role else receiver)


def _side(party: str) -> int:
    return 2 if party.startswith(SUBSCRIBER) else int(party == PROCESSOR)


def _time(seconds: float) -> str:
    return f"{seconds * 1000:9.1f} ms"
