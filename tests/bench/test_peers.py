"""What is compared with other libraries does the same in each; what is not installed is left out."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.peers import __main__ as peers
from bench.peers import by_hand, libraries, memory
from bench.peers.libraries import BY_HAND, OURS, Library, installed, load
from bench.peers.picture import DRAWN, draw
from bench.peers.tasks import ELEMENTS, TASKS, Task
from tests.architecture.test_names_elsewhere import ALL, FOUND

INSTALLED = [Library(BY_HAND, by_hand, ""), *installed()]
DONE = [
    pytest.param(library, task, id=f"{library.name} {task.name}")
    for library in INSTALLED
    for task in TASKS
    if hasattr(library.module, task.name)
]


@pytest.mark.parametrize(("library", "task"), DONE)
def test_task_gives_what_it_should(library: Library, task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "ELEMENTS", ELEMENTS // 5)
    assert library.case(task) is not None


def test_every_task_is_done_by_hand_and_by_this_library() -> None:
    assert INSTALLED[1].name == OURS
    missing = [task.name for library in INSTALLED[:2] for task in TASKS if not hasattr(library.module, task.name)]
    assert missing == []


def test_wrong_result_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_hand, "zip_two", lambda n: (n, n))
    task = next(task for task in TASKS if task.name == "zip_two")
    with pytest.raises(AssertionError, match=r"zip of two of by hand: \(10000, 10000\), not \(9999, 9999\)"):
        INSTALLED[0].case(task)


@pytest.mark.parametrize("library", INSTALLED, ids=lambda library: library.name)
def test_elements_ahead_of_a_consumer_are_counted(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "ELEMENTS", 3_000)
    monkeypatch.setattr(memory, "STILL_SECONDS", 0.01)
    assert memory.is_bounded(memory.ahead(library.run_ahead)) or library.name in (BY_HAND, "csp", "reactivex")


def test_library_that_is_missing_is_none(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert load("nothing") is None
    monkeypatch.setattr(libraries, "names", lambda: ["nothing", OURS])
    assert [library.name for library in installed()] == [OURS]
    monkeypatch.setattr(peers, "names", lambda: ["nothing", OURS])
    monkeypatch.setattr(peers, "wrong_profile", lambda: None)
    monkeypatch.setattr(peers, "TASKS", TASKS[:1])
    assert peers.main(["tasks", "operators", "--rounds", "7"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "nothing: not installed" in lines
    assert any(line.startswith(TASKS[0].title) for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["time"], "there is no part 'time'; take tasks, memory, operators"),
        (["--rounds", "6"], "--rounds 6 is too few; take 7 or more"),
        (["operators", "--picture", "run.svg"], "--picture draws tasks and memory; measure one of them"),
        (["--picture", "run.gif"], "--picture run.gif is of no known kind; take one of .svg, .png, .pdf"),
    ],
)
def test_wrong_argument_is_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        peers.main(arguments)
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("part", DRAWN)
def test_picture_shows_every_row_of_the_parts_that_were_measured(part: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: ci/environment.sh bench installs it")
    row = {"task": "one task", "nanoseconds": {BY_HAND: 10.0, OURS: 9.0}}
    row |= {"library": OURS, "way": "one way", "elements": 0, "is_bounded": True}
    run = {"tasks": [], "memory": [], part: [row], "libraries": {OURS: "1.0", "csp": None}, "conditions": {}}
    draw(run, tmp_path / "run.svg")
    picture = (tmp_path / "run.svg").read_text(encoding="utf-8")
    assert {"tasks": "one task", "memory": "one way"}[part] in picture
    assert "csp" not in picture


# --- operators beside those of reactivex ------------------------------------------------------------------------------

pytest.importorskip("reactivex", reason="reactivex is not installed: ci/environment.sh dev installs it")

import reactivex as rx  # noqa: E402
from reactivex.scheduler import EventLoopScheduler  # noqa: E402

from bench.peers import operators  # noqa: E402
from reactivestreams import Stream, WorkerScheduler  # noqa: E402

WITHOUT_KEY = {"key_by().count", "key_by().reduce"}
"""Their results stand beside their keys here."""


@pytest.fixture(scope="module")
def pairs() -> Iterator[dict[str, operators.Pair]]:
    loop = EventLoopScheduler()
    with WorkerScheduler(name="bench") as worker:
        yield operators.pairs(worker, loop)
    loop.dispose()


with WorkerScheduler(name="bench-names") as _worker:
    NAMES = [*operators.pairs(_worker, EventLoopScheduler())]


@pytest.mark.parametrize("name", NAMES)
def test_operator_does_the_same_in_reactivex(name: str, pairs: dict[str, operators.Pair]) -> None:
    pair = pairs[name]
    made = pair.ours(Stream.from_iterable(pair.source))
    ours = made.to_list() if isinstance(made, Stream) else [made]
    theirs: list[Any] = []
    has_ended = threading.Event()
    pair.theirs(rx.from_iterable(pair.source)).subscribe(theirs.append, operators.raise_error, has_ended.set)
    assert has_ended.wait(60)
    if name in WITHOUT_KEY:
        ours = [value for _, value in ours]
    assert len(ours) == len(theirs)
    assert name == "materialize" or sorted(map(repr, ours)) == sorted(map(repr, theirs))


def test_every_operator_that_reactivex_has_is_measured_or_has_a_reason() -> None:
    calls = {call for answer in ALL.libraries["reactivex"].answers.values() for call in answer.calls}
    both = {definition.method for definition in FOUND if definition.call in calls}
    both |= {call for call in calls if call.startswith("Stream.") and "(" not in call}
    measured = {name for name in NAMES if not name.startswith("key_by")}
    assert sorted(both - measured) == sorted(operators.NOT_MEASURED)
    assert sorted(measured - both) == []
