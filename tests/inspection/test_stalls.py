"""Streams that stand still: the time-out of a blocking end, a signal and `doctor --pid` say why."""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from reactivestreams import Stream, WorkerScheduler
from reactivestreams.cli import ExitStatus, main
from reactivestreams.errors import SchedulerDisposedError
from reactivestreams.inspection import (
    InspectionError,
    StageReport,
    allow_inspection,
    ask_process,
    diagnose,
    explain,
    running,
)
from reactivestreams.schedulers import VirtualTimeScheduler
from tests.inspection.standing_streams import STANDING, Unbounded, context_of, virtual_timer

# A group that nobody reads is warned of as soon as another one needs its place.
pytestmark = pytest.mark.filterwarnings("ignore:group 0 has:RuntimeWarning")

EVERY_STALL = pytest.mark.parametrize("name", STANDING)
HERE = str(Path(__file__).parent)
MADE_IN = str(Path(HERE) / "standing_streams.py")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


def assert_named(name: str, text: str) -> None:
    """Check that a line of a text names the operator, the line of its assembly, the cause and the remedy."""
    standing = STANDING[name]
    lines = [line for line in text.splitlines() if line.startswith(standing.operator) and standing.cause in line]
    assert lines, text
    assert standing.remedy in lines[0]
    assert f"assembled at {HERE}" in lines[0]


@EVERY_STALL
def test_time_out_says_why_the_stream_stands_still(name: str) -> None:
    with ExitStack() as stack:
        stream = STANDING[name].make(stack)
        with pytest.raises(TimeoutError) as caught:
            stream.to_list(timeout_seconds=0)
    assert_named(name, "\n".join(caught.value.__notes__))


@EVERY_STALL
def test_doctor_says_why_the_stream_of_a_process_stands_still(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with ExitStack() as stack, allow_inspection(by_signal=False):
        handle = STANDING[name].make(stack).bind(Unbounded())
        stack.callback(handle.cancel)
        handle.initialize()
        assert main(["doctor", "--pid", str(os.getpid())]) == ExitStatus.SUCCESS
    assert_named(name, capsys.readouterr().out)


@EVERY_STALL
@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="this system has no SIGUSR1")
def test_signal_says_why_the_stream_stands_still(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with ExitStack() as stack:
        handle = STANDING[name].make(stack).bind(Unbounded())
        stack.callback(handle.cancel)
        handle.initialize()
        with allow_inspection():
            os.kill(os.getpid(), signal.SIGUSR1)  # close() ends the thread after it has printed
        assert_named(name, capsys.readouterr().err)


def test_blocking_end_that_waits_for_its_own_worker() -> None:
    notes: list[str] = []

    def wait_for_own_worker(element: int) -> int:
        with pytest.raises(TimeoutError) as caught:
            Stream.range(3).observe_on(worker).to_list(timeout_seconds=0)
        notes.extend(caught.value.__notes__)
        return element

    with WorkerScheduler(name="reactivestreams-own") as worker:
        assert Stream.just(1).observe_on(worker).map(wait_for_own_worker).to_list(timeout_seconds=10) == [1]
    assert f"own worker waits in a blocking operation at {__file__}" in notes[0]
    assert "flat_map()" in notes[0]


def test_blocking_end_that_waits_for_its_own_worker_is_seen_from_outside() -> None:
    def wait_for_own_worker(element: int) -> object:
        return Stream.range(3).observe_on(worker).to_list(timeout_seconds=10)

    with WorkerScheduler(name="reactivestreams-own") as worker, allow_inspection(by_signal=False):
        outer = Stream.just(1).observe_on(worker).map(wait_for_own_worker).bind(Unbounded())
        outer.initialize()
        waiting = list(iter_until_waiting())
        text = "\n".join(stream["text"] for stream in ask_process(os.getpid())["streams"])
        for end in waiting:
            end.cancel()
    assert f"own worker waits in a blocking operation at {__file__}" in text


def iter_until_waiting():  # type: ignore[no-untyped-def]
    """Yield the blocking end that waits, as soon as one does."""
    while True:
        for end in running():
            if end.inspect().get("waiting_for") == "end":
                yield end
                return


def test_disposed_scheduler_ends_the_stream_with_an_error_that_names_the_operator() -> None:
    worker = WorkerScheduler(name="reactivestreams-gone")
    worker.dispose()
    with pytest.raises(SchedulerDisposedError, match="use a new one") as caught:
        Stream.range(3).observe_on(worker).to_list(timeout_seconds=10)
    assert f"in rx://operators/observe_on, assembled at {__file__}" in caught.value.__notes__[0]


def test_timer_in_virtual_time_that_nobody_advances() -> None:
    scheduler = VirtualTimeScheduler()
    handle = virtual_timer(ExitStack()).bind(Unbounded())
    handle.initialize(context_of(scheduler))
    scheduler.clock.advance_to(10)  # it has begun, and waits for its time
    (stall,) = diagnose(handle)
    assert (stall.operator, stall.assembly.file if stall.assembly else None) == ("rx://sources/timer", MADE_IN)
    assert "virtual time" in stall.cause
    assert "advance_to" in stall.remedy
    handle.cancel()
    scheduler.dispose()


def test_subscriber_that_requests_nothing() -> None:
    from reactivestreams.subscriber import DefaultSubscriber

    handle = Stream.range(3).map(str).bind(DefaultSubscriber())
    handle.initialize()
    (stall,) = diagnose(handle)
    assert stall.operator == "subscriber DefaultSubscriber"
    assert "requested no more elements of rx://sources/range" in stall.cause
    assert json.loads(json.dumps(stall.to_dict()))["remedy"] == stall.remedy


def test_stream_that_has_ended_stands_not_still() -> None:
    handle = Stream.range(3).bind(Unbounded())
    handle.initialize()
    assert diagnose(handle) == ()
    assert all(stage.is_terminated for stage in explain(handle).stages)


# --- processes that cannot be looked into -----------------------------------------------------------------------------


def test_process_that_never_opted_in_is_refused_with_the_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--pid", str(os.getpid())]) == ExitStatus.FAILURE
    said = capsys.readouterr().err
    assert f"process {os.getpid()} has not opted in" in said
    assert "allow_inspection()" in said


def test_process_that_is_dead_is_refused() -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    with pytest.raises(InspectionError, match=f"there is no process {dead.pid}"):
        ask_process(dead.pid)


def test_process_of_another_user_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 12345)  # as if that user asked for a process of this one
    with pytest.raises(InspectionError, match="is of user"):
        ask_process(os.getpid())


def test_socket_that_an_earlier_process_left_is_refused(tmp_path: Path) -> None:
    import socket

    folder = tmp_path / f"reactivestreams-{os.getuid()}"
    folder.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(folder / f"{os.getpid()}.socket"))
    with pytest.raises(InspectionError, match="left of an earlier process"):
        ask_process(os.getpid())


def test_folder_that_others_may_enter_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / f"reactivestreams-{os.getuid()}"
    folder.mkdir()
    folder.chmod(0o755)
    with pytest.raises(InspectionError, match="nobody else may enter"):
        allow_inspection(by_signal=False)


def test_socket_is_its_users_alone_and_gone_at_the_end() -> None:
    with allow_inspection(by_signal=False) as inspection:
        assert inspection.path.stat().st_mode & 0o777 == 0o600
        assert inspection.path.parent.stat().st_mode & 0o777 == 0o700
    assert not inspection.path.exists()
    inspection.close()


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="this system has no SIGUSR1")
def test_earlier_handler_of_the_signal_is_called_too_and_comes_back() -> None:
    seen: list[int] = []

    def earlier(number: int, frame: object) -> None:
        seen.append(number)

    before = signal.signal(signal.SIGUSR1, earlier)
    try:
        with allow_inspection():
            os.kill(os.getpid(), signal.SIGUSR1)
        assert signal.getsignal(signal.SIGUSR1) is earlier
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == [signal.SIGUSR1]


def test_elsewhere_than_in_the_main_thread_only_the_socket_is_there() -> None:
    before = signal.getsignal(signal.SIGINT)
    answers: list[object] = []

    def ask() -> None:
        with allow_inspection():
            answers.append(ask_process(os.getpid())["process"])

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert answers == [os.getpid()]
    assert signal.getsignal(signal.SIGINT) is before


def test_stage_report_of_a_node_of_somebody_else_says_what_is_known() -> None:
    report = StageReport("Foreign", {"operator": None, "is_terminated": False}, 0)
    assert (report.operator, report.requested, report.to_dict()["line"]) == ("Foreign", None, None)
