"""What `engine top` makes of the numbers that an engine writes, and `top` of what a process says of its streams."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.cli import main
from reactivestreams.cli.exit_status import ExitStatus
from reactivestreams.cli.top import heading_of, rates_of_streams, with_rates
from reactivestreams.inspection import allow_inspection
from reactivestreams.metrics import MemoryMetrics
from tests.contracts.recording_subscriber import RecordingSubscriber

needs_sockets = pytest.mark.skipif(sys.platform == "win32", reason="needs sockets in files")


def sample(seconds: float, elements: int | None, **changes: Any) -> dict[str, Any]:
    figures = {"elements": elements, "demand": 2**63 - 1, "waiting": 0, "capacity": 10, "behind": 0}
    return {
        "process": 7,
        "time": seconds,
        "status": "running",
        "failed_checkpoints": 0,
        "last_checkpoint": None,
        "artifacts": [{"id": "in", "kind": "ingress", "status": "running", "figures": figures, "error": ""}],
        **changes,
    }


def test_rate_is_that_between_two_samples() -> None:
    assert with_rates(sample(10, 100), sample(12, 150))["artifacts"][0]["rate"] == 25.0


def test_rate_is_unknown_without_numbers_or_time() -> None:
    for before, now in (
        (sample(10, None), sample(12, None)),
        (sample(10, 5), sample(10, 9)),
        (sample(10, 5, artifacts=[]), sample(12, 9)),
    ):
        assert with_rates(before, now)["artifacts"][0]["rate"] is None


def test_heading_has_the_last_checkpoint() -> None:
    assert heading_of(sample(12, 1)) == "process 7: running, no checkpoint yet"
    last = {
        "number": 3,
        "began": 9_990_000_000,
        "committed": 10_000_000_000,
        "pause_microseconds": 1_500,
        "size_bytes": 4_096,
    }
    assert heading_of(sample(12, 1, last_checkpoint=last, failed_checkpoints=2)) == (
        "process 7: running; checkpoint 3 2.0 s ago: 10.0 ms, 1.5 ms of them paused, 4,096 bytes; 2 failed since"
    )


# --- the streams of a process -----------------------------------------------------------------------------------------


def stage(operator: str, **said: Any) -> dict[str, Any]:
    unknown = dict.fromkeys(("name", "file", "line", "requested", "delivered", "buffered", "capacity", "waiting_for"))
    return {"operator": operator, **unknown, "is_running": False, **said}


def streams(seconds: float, *stages: dict[str, Any], number: int = 1) -> dict[str, Any]:
    told = [{"number": number, "stages": list(stages), "stalls": [], "text": ""}]
    return {"process": 7, "time": seconds, "streams": told, "more_streams": 0}


def tapped(seconds: float, orders: int, received: int) -> dict[str, Any]:
    return streams(
        seconds,
        stage("subscriber"),
        stage("rx://operators/tap", name="orders", delivered=orders, requested=5),
        stage("rx://operators/observe_on", buffered=300, capacity=1024),
        stage("rx://operators/tap", name="received", delivered=received, requested=700),
        stage("rx://sources/from_queue", waiting_for="elements", file="/shop/billing.py", line=31),
    )


def test_stream_has_the_rate_of_its_last_tap_and_the_lag_of_what_waits() -> None:
    (figures,) = rates_of_streams(tapped(10, 100, 400), tapped(12, 400, 800))["streams"]
    assert figures == {
        "stream": "orders",
        "rate": 150.0,
        "demand": 5,
        "waiting": 300,
        "capacity": 1024,
        "lag_seconds": 2.0,
        "waits_for": "elements",
        "places": [
            {"place": "tap", "name": "orders", "elements": 400, "rate": 150.0},
            {"place": "tap", "name": "received", "elements": 800, "rate": 200.0},
        ],
    }


def test_rate_and_lag_are_unknown_without_a_tap_earlier_numbers_or_progress() -> None:
    without = streams(10, stage("subscriber"), stage("rx://sources/range", file="a/b.py", line=3, buffered=1))
    (figures,) = rates_of_streams(without, {**without, "time": 11})["streams"]
    assert (figures["stream"], figures["rate"], figures["lag_seconds"]) == ("range, b.py:3", None, None)
    for before, now in (
        (tapped(10, 5, 5), tapped(10, 9, 9)),
        (tapped(10, 5, 5), tapped(12, 4, 4)),  # another stream has the number of one that has ended
        ({**tapped(10, 5, 5), "streams": []}, tapped(12, 9, 9)),
    ):
        assert rates_of_streams(before, now)["streams"][0]["rate"] is None
    (figures,) = rates_of_streams(tapped(10, 5, 5), tapped(12, 5, 5))["streams"]
    assert (figures["rate"], figures["lag_seconds"]) == (0.0, None)


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


@pytest.fixture
def running(own_folder: None) -> Iterator[RecordingSubscriber]:
    """A stream of this process that runs, and may be looked into."""
    subscriber = RecordingSubscriber(first_request=3)
    Stream.range(1_000_000).tap(MemoryMetrics(), name="orders").limit_rate(8).subscribe(subscriber)
    with allow_inspection(by_signal=False):
        yield subscriber
    subscriber.cancel()


def arguments(*more: str) -> list[str]:
    return ["top", str(os.getpid()), "--once", "--interval-seconds", "0.01", *more]


@needs_sockets
def test_table_shows_each_stream_of_the_process(
    running: RecordingSubscriber, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments()) == ExitStatus.SUCCESS
    heading, columns, *rows = capsys.readouterr().out.splitlines()
    assert heading.startswith(f"process {os.getpid()}: ")
    assert columns.split() == ["stream", "a", "second", "demand", "waiting", "lag", "waits", "for"]
    (orders,) = [row for row in rows if row.startswith("orders")]
    assert orders.split() == ["orders", "0.0", "0", "5", "of", "8", "-", "demand"]


@needs_sockets
def test_elements_that_pass_between_two_looks_are_a_rate(
    running: RecordingSubscriber, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sleep = time.sleep

    def pass_some(seconds: float) -> None:
        running.request(500)
        sleep(seconds)

    monkeypatch.setattr(time, "sleep", pass_some)
    assert main(arguments("--json")) == ExitStatus.SUCCESS
    told = json.loads(capsys.readouterr().out)
    (orders,) = [each for each in told["streams"] if each["stream"] == "orders"]
    assert orders["rate"] > 0
    assert orders["places"][0]["elements"] >= 503
    assert orders["lag_seconds"] is not None


@needs_sockets
def test_process_without_streams_has_no_table(own_folder: None, capsys: pytest.CaptureFixture[str]) -> None:
    program = """
import os, sys
from reactivestreams.inspection import allow_inspection
with allow_inspection(by_signal=False):
    print("ready", flush=True)
    sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert main(["top", str(process.pid), "--once", "--interval-seconds", "0.01"]) == ExitStatus.SUCCESS
        assert capsys.readouterr().out.split("\n")[0] == f"process {process.pid}: 0 streams run"
        process.communicate()
    assert main(["top", str(process.pid), "--once"]) == ExitStatus.FAILURE
    assert f"there is no process {process.pid}" in capsys.readouterr().err


@needs_sockets
def test_process_that_never_opted_in_is_refused_with_the_remedy(
    own_folder: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments()) == ExitStatus.FAILURE
    said = capsys.readouterr().err
    assert f"process {os.getpid()} has not opted in" in said
    assert "allow_inspection()" in said


@needs_sockets
def test_process_of_another_user_is_refused(
    own_folder: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 12345)  # as if that user asked for a process of this one
    assert main(arguments()) == ExitStatus.FAILURE
    assert "is of user" in capsys.readouterr().err
