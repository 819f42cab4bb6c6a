"""Reports made by hand: every outcome, a log with all signals, and texts that no format may take for its own."""

from datetime import UTC, datetime

from reactivestreams.tck import Evidence, Outcome, Report, Verdict, Violation
from reactivestreams.tck.kit.signal_log import SignalRecord, Step

MADE = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)

HOSTILE = "</script><b>&amp; ]]> \x00\x1b[31m \ud800 é \U0001f600 \"quoted\" 'text'"
"""Markup, control characters, half of a surrogate pair, letters and quotes."""

PASSED = Verdict("required_spec101_something", ("1.1",), Outcome.PASS, duration_seconds=0.25, claim="It counts.")
SKIPPED = Verdict("untested_spec304_something", ("3.4",), Outcome.SKIP, "cannot be tested", claim="It is quick.")
FAILED = Verdict(
    "required_spec309_something",
    ("3.9",),
    Outcome.FAIL,
    "no on_error came",
    ("3.9", "1.4"),
    Evidence(
        steps=(Step(0.001, "request(0)", 2), Step(0.4, "! §1.4: silent", 7)),
        signals=(
            SignalRecord(0.0001, "tck-check required_spec309", "publisher", "subscribe", "subscriber 1", 0),
            SignalRecord(0.0002, "tck-check required_spec309", "subscriber 1", "on_subscribe", "<Link>", 1),
            SignalRecord(0.002, "worker-1", "subscriber 1's subscription", "request", "0", 3),
            SignalRecord(0.003, "worker-2", "subscriber 1", "on_next", "7", 4),
            SignalRecord(0.004, "worker-2", "subscriber 1", "on_complete", "", 5),
            SignalRecord(0.005, "worker-1", "subscriber 1's subscription", "cancel", "", 6),
        ),
        violations=(Violation("1.4", "silent", 0.4),),
        notes=("a remark",),
        look_at="request",
        remedy="signal on_error",
        stacks="thread MainThread:\n  a line",
        threads_left=("left-behind",),
    ),
    duration_seconds=0.5,
    origin="extended",
    claim="request(0) leads to on_error.",
)
HOSTILE_VERDICT = Verdict(
    "required_spec102_something",
    ("1.2",),
    Outcome.FAIL,
    HOSTILE,
    ("1.2",),
    Evidence(
        steps=(Step(0.001, HOSTILE, 0),),
        signals=(
            SignalRecord(0.002, HOSTILE, HOSTILE, "on_next", HOSTILE, 1),
            SignalRecord(0.003, HOSTILE, f"{HOSTILE}'s subscription", "request", HOSTILE, 2),
        ),
        notes=(HOSTILE,),
        look_at=HOSTILE,
        remedy=HOSTILE,
        traceback=HOSTILE,
    ),
    claim=HOSTILE,
)

REPORT = Report(
    "Numbers",
    "1.0.4",
    7,
    (PASSED, SKIPPED, FAILED),
    1.5,
    threads_left=("left-behind",),
    command="python -m reactivestreams tck numbers:Numbers",
)
GOOD_REPORT = Report("Good", "dotnet", 8, (PASSED,), 0.25)
HOSTILE_REPORT = Report(HOSTILE, "1.0.4", 9, (HOSTILE_VERDICT,), 0.1, command=HOSTILE)
REPORTS = (REPORT, GOOD_REPORT, HOSTILE_REPORT)
