"""Streams that stand still: the time-out of a blocking end, a signal and `doctor --pid` say why."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from typing import Any

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
)
from reactivestreams.schedulers import VirtualTimeScheduler
from reactivestreams.subscriber import DefaultSubscriber
from tests.inspection import standing_streams
from tests.inspection.standing_streams import (
    STANDING,
    STANDING_STILL,
    Unbounded,
    blocked_end,
    context_of,
    virtual_timer,
)

# A group that nobody reads is warned of as soon as another one needs its place.
pytestmark = pytest.mark.filterwarnings("ignore:group 0 has:RuntimeWarning")

EVERY_STALL = pytest.mark.parametrize("name", STANDING)
HERE = str(Path(__file__).parent)
ROOT = Path(__file__).parents[2]
WAIT_SECONDS = 60.0
MADE_IN = str(Path(HERE) / "standing_streams.py")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


def is_named(name: str, text: str) -> bool:
    """Say whether a line of a text names the operator, the line of its assembly, the cause and the remedy."""
    standing = STANDING[name]
    return any(
        line.startswith(standing.operator)
        and f"assembled at {HERE}" in line
        and standing.cause in line
        and standing.remedy in line.partition(standing.cause)[2]
        for line in text.splitlines()
    )


def assert_named(name: str, text: str) -> None:
    assert is_named(name, text), text


def assert_soon_named(name: str, ask: Callable[[], str], program: subprocess.Popen[str]) -> None:
    """Check the same of what is said again and again, until the program has come to where it stands still."""
    deadline = monotonic() + WAIT_SECONDS
    while not is_named(name, text := ask()):
        assert monotonic() < deadline, text
        assert program.poll() is None, text


@EVERY_STALL
def test_time_out_says_why_the_stream_stands_still(name: str) -> None:
    with ExitStack() as stack, pytest.raises(TimeoutError) as caught:
        STANDING[name].run(stack, timeout_seconds=0)
    assert_named(name, "\n".join(caught.value.__notes__))


@EVERY_STALL
@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="this system has no SIGUSR1")
def test_process_that_stands_still_says_why_whichever_way_it_is_asked(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    errors = tmp_path / "stderr"
    with (
        errors.open("w") as to_errors,
        subprocess.Popen(
            [sys.executable, "-m", standing_streams.__name__, name],
            stdout=subprocess.PIPE,
            stderr=to_errors,
            text=True,
            cwd=ROOT,
        ) as program,
    ):
        try:
            assert program.stdout is not None
            assert_named(name, "".join(iter(program.stdout.readline, f"{STANDING_STILL}\n")))

            def says_doctor() -> str:
                assert main(["doctor", "--pid", str(program.pid)]) == ExitStatus.SUCCESS
                return capsys.readouterr().out

            assert_soon_named(name, says_doctor, program)
            program.send_signal(signal.SIGUSR1)
            assert_soon_named(name, lambda: errors.read_text(encoding="utf-8"), program)
        finally:
            program.kill()


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
        waiting = blocked_end(worker)
        text = "\n".join(stream["text"] for stream in ask_process(os.getpid())["streams"])
        waiting.cancel()
    assert f"own worker waits in a blocking operation at {__file__}" in text


def test_function_that_blocks_its_own_worker_is_named_in_the_stream_that_calls_it() -> None:
    def wait_for_own_worker(element: int) -> object:
        return Stream.range(3).observe_on(worker).to_list()

    with WorkerScheduler(name="reactivestreams-own") as worker:
        outer = Stream.just(1).observe_on(worker).map(wait_for_own_worker).bind(Unbounded())
        outer.initialize()
        waiting = blocked_end(worker)
        (stall,) = diagnose(outer)
        waiting.cancel()
    assert stall.operator == "rx://operators/observe_on"
    assert f"its worker waits in a blocking operation at {__file__}" in stall.cause
    assert stall.cause.endswith("wait_for_own_worker")
    assert "flat_map()" in stall.remedy


def test_function_that_does_not_return_is_named_with_its_line() -> None:
    begun, gate = threading.Event(), threading.Event()

    def stay(element: int) -> int:
        begun.set()
        gate.wait()
        return element

    with WorkerScheduler(name="reactivestreams-stay") as worker:
        handle = Stream.just(1).observe_on(worker).map(stay).bind(Unbounded())
        handle.initialize()
        begun.wait()
        (stall,) = diagnose(handle)
        gate.set()
    assert f"its worker is at {__file__}" in stall.cause


def disposed_before(worker: WorkerScheduler) -> Stream[Any]:
    worker.dispose()
    return Stream.range(3).observe_on(worker)


def disposed_while_it_is_paused(worker: WorkerScheduler) -> Stream[Any]:
    worker.pause()
    return Stream.range(3).do(on_complete=worker.dispose).observe_on(worker)


def disposed_while_elements_flow(worker: WorkerScheduler) -> Stream[Any]:
    return Stream.range(3).do(on_next=lambda element: worker.dispose() if element == 1 else None).observe_on(worker)


@pytest.mark.parametrize("make", [disposed_before, disposed_while_it_is_paused, disposed_while_elements_flow])
def test_stream_does_not_stand_still_on_a_disposed_scheduler_but_names_operator_line_cause_and_remedy(
    make: Callable[[WorkerScheduler], Stream[Any]],
) -> None:
    with WorkerScheduler(name="reactivestreams-gone") as worker:
        stream = make(worker)
        with pytest.raises(SchedulerDisposedError, match=r"'reactivestreams-gone'.* was disposed") as caught:
            stream.to_list(timeout_seconds=WAIT_SECONDS)
    assert str(caught.value).endswith(("use a new one", "dispose it after use"))
    assert f"in rx://operators/observe_on, assembled at {__file__}" in caught.value.__notes__[0]


def test_full_ring_below_which_nobody_requests() -> None:
    scheduler = VirtualTimeScheduler()
    handle = Stream.range(1000).observe_on(scheduler, prefetch=4).bind(DefaultSubscriber())
    handle.initialize()
    scheduler.clock.start()  # it has passed on what was requested, which is nothing
    (stall,) = diagnose(handle)
    assert (stall.operator, stall.assembly.file if stall.assembly else None) == ("rx://operators/observe_on", __file__)
    assert "its queue is full (4 of 4)" in stall.cause
    assert "request(n)" in stall.remedy
    handle.cancel()
    scheduler.dispose()


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
