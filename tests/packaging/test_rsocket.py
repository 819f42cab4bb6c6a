"""rsocket-py, a library that knows nothing of us, beside the installed wheel: whose files win, what runs on them."""

import ast
import json
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.installing import ROOT, ask_index, install, new_environment, run

EXAMPLE = ROOT / "examples/rsocket_publisher"
RSOCKET = "rsocket==0.4.20"
SHARED = ("__init__", "publisher", "subscriber", "subscription")

# The test that runs first builds the wheel for all.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def rsocket(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of rsocket, from the package index."""
    folder = tmp_path_factory.mktemp("rsocket")
    ask_index("download", "--no-deps", "--dest", folder, RSOCKET)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def python(wheel: Path, rsocket: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with rsocket and, installed last, our wheel."""
    folder = tmp_path_factory.mktemp("both")
    interpreter = new_environment(folder)
    install(interpreter, rsocket)
    install(interpreter, wheel)
    return interpreter


def test_every_module_of_rsocket_that_can_be_imported_runs_on_our_modules(python: Path, tmp_path: Path) -> None:
    script = (
        "import importlib, pkgutil, rsocket\n"
        "imported, lacking = [], set()\n"
        "for module in pkgutil.walk_packages(rsocket.__path__, 'rsocket.', onerror=lambda name: None):\n"
        "    try:\n"
        "        importlib.import_module(module.name)\n"
        "        imported.append(module.name)\n"
        "    except ModuleNotFoundError as error:\n"
        "        lacking.add(error.name.partition('.')[0])\n"
        "from rsocket import helpers, rsocket_base\n"
        "from reactivestreams import publisher, spec, subscriber, subscription\n"
        "print(len(imported) > 50, lacking & {'reactivestreams', 'rs_core', 'rsocket'})\n"
        "print(helpers.DefaultPublisher is publisher.DefaultPublisher, publisher.Publisher is spec.Publisher)\n"
        "print(helpers.DefaultSubscription is subscription.DefaultSubscription)\n"
        "print(rsocket_base.DefaultSubscriber is subscriber.DefaultSubscriber)\n"
        "print(issubclass(helpers.DefaultPublisherSubscription, (spec.Publisher, spec.Subscription)))\n"
    )
    assert run(python, "-c", script, cwd=tmp_path).split("\n") == [
        "True set()",
        "True True",
        "True",
        "True",
        "True",
        "",
    ]


def test_every_public_name_of_their_package_is_in_ours_and_its_function_says_the_same(
    python: Path, rsocket: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(rsocket) as archive:
        theirs = {name: archive.read(f"reactivestreams/{name}.py").decode() for name in SHARED}
    public = {
        module: sorted(
            node.name
            for node in ast.parse(text).body
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_")
        )
        for module, text in theirs.items()
    }
    assert public["__init__"] == ["reactivestreams"]
    namespace: dict[str, Any] = {}
    exec(theirs["__init__"], namespace)
    script = (
        f"import importlib, reactivestreams\nfor module, names in {public!r}.items():\n"
        "    ours = importlib.import_module('reactivestreams.' + module) if module[0] != '_' else reactivestreams\n"
        "    print(module, [name for name in names if not hasattr(ours, name)])\n"
        "from reactivestreams import reactivestreams\n"
        "print(reactivestreams())\n"
    )
    expected = [f"{module} []" for module in public] + [namespace["reactivestreams"]()]
    assert run(python, "-c", script, cwd=tmp_path).splitlines() == expected


def test_the_publisher_on_our_base_classes_sends_what_that_of_rsocket_sends(python: Path, tmp_path: Path) -> None:
    # The program ends with another status where the results differ or more is made than was requested.
    printed = run(python, "-W", "error", EXAMPLE / "compare.py", "--elements", "200", "--rounds", "1", cwd=tmp_path)
    assert printed.count(" equal; made beyond what was requested: 0;") == 3
    assert printed.count(" 1.00 x\n") >= 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("self.emit(payload)", "self.emit(payload) if self.demand % 5 else None"),  # elements are lost
        ("while self.demand and self._left_of_turn:", "while self._left_of_turn:"),  # demand is not looked at
    ],
)
def test_a_publisher_that_is_wrong_is_reported(change: str, said: str, python: Path, tmp_path: Path) -> None:
    for path in EXAMPLE.glob("*.py"):
        shutil.copy(path, tmp_path)
    source = tmp_path / "generator_stream.py"
    text = source.read_text(encoding="utf-8")
    assert text.count(change) == 1
    source.write_text(text.replace(change, said), encoding="utf-8")
    script = (
        "import asyncio, sys\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "import compare, logging\n"
        "logging.disable(logging.CRITICAL)\n"
        "async def judged():\n"
        "    return await asyncio.wait_for(compare.verdict('ours, 32 elements a turn', 200), 5)\n"
        "try:\n"
        "    verdict = asyncio.run(judged())\n"
        "    print(verdict.equal and verdict.most_beyond_request <= 0)\n"
        "except TimeoutError:\n"
        "    print('no end')\n"
    )
    assert run(python, "-c", script, cwd=tmp_path) in {"False\n", "no end\n"}


def test_verdict_of_the_compatibility_kit_is_what_its_page_says(python: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs/explanation/rsocket-verdict.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:required|optional|stochastic)_spec\w+)`", page))
    # Whether these see the fault depends on who is faster, as the page says.
    chance = {name for name in named if "requesting_many_upfront" in name}

    failed = json.loads(run(python, EXAMPLE / "verdict.py", "--json", cwd=tmp_path))

    assert failed.pop("GeneratorStreamVerification") == []
    assert len(chance) == 2
    assert {subject: sorted((named ^ set(checks)) - chance) for subject, checks in failed.items()} == {
        "StreamFromAsyncGeneratorVerification": [],
        "StreamFromGeneratorVerification": [],
    }
    assert f"rsocket-py](https://pypi.org/project/rsocket/) {RSOCKET.partition('==')[2]}," in page


GENERATOR_STREAM = """
import asyncio, sys
sys.path.insert(0, {folder!r})
from generator_stream import GeneratorStream
from reactivestreams.subscriber import DefaultSubscriber
from rsocket.payload import Payload

signals = []


class Recorder(DefaultSubscriber):
    def on_next(self, value, is_complete=False):
        signals.append(value.data)

    def on_error(self, exception):
        signals.append(str(exception))

    def on_complete(self):
        signals.append("complete")


async def run(generator, *requests):
    signals.clear()
    closed = []
    recorder = Recorder()
    stream = GeneratorStream(
        generator, on_cancel=lambda: closed.append("cancelled"), on_complete=lambda: closed.append("completed")
    )
    stream.subscribe(recorder)
    for n in requests:
        if n is None:
            recorder.subscription.cancel()
        else:
            recorder.subscription.request(n)
        for _ in range(5):
            await asyncio.sleep(0)
    print(*signals, *closed)


def unmarked():
    yield Payload(b"only"), False


def failing():
    yield Payload(b"first"), False
    raise OSError("lost")


def endless():
    while True:
        yield Payload(b"again"), False


class Greedy(DefaultSubscriber):
    count = 0

    def on_next(self, value, is_complete=False):  # asks for the next one at once
        self.count += 1
        if self.count < 100:
            self.subscription.request(1)


async def take_turns():
    greedy = Greedy()
    GeneratorStream(endless, turn_elements=32).subscribe(greedy)
    greedy.subscription.request(1)
    counts = [greedy.count]
    while greedy.count < 100:
        await asyncio.sleep(0)
        counts.append(greedy.count)
    print(*counts)


async def main():
    await run(unmarked, 1, 1)
    await run(failing, 5)
    await run(endless, 2, None, 3)
    await run(endless, 1, -1)
    await take_turns()


asyncio.run(main())
"""


def test_the_publisher_on_our_base_classes_ends_in_every_way_and_takes_turns(python: Path, tmp_path: Path) -> None:
    script = GENERATOR_STREAM.format(folder=str(EXAMPLE))
    completed, failed, cancelled, refused, turns = run(python, "-W", "error", "-c", script, cwd=tmp_path).splitlines()
    assert completed == "b'only' complete completed"
    assert failed == "b'first' lost"
    assert cancelled == "b'again' b'again' cancelled"
    assert refused.startswith("b'again' §3.9: request(n) needs n > 0, got -1;")
    assert refused.endswith(" cancelled")
    assert turns == "32 64 96 100"


NUMBERS = [str(number) for number in range(10)]
EVEN = [str(number) for number in range(0, 20, 2)]

# What each program of client and server says, whatever the number of elements that are asked for at a time.
SAID: dict[str, Any] = {
    "streams": {
        "generator": [NUMBERS] * 3,
        "async generator": [NUMBERS] * 3,
        "stream": [NUMBERS] * 3,
        "filtered": [EVEN] * 3,
        "none": [[]] * 3,
    },
    "errors": {"fails": [["0", "1", "2"], "the disk is gone"], "fails at once": [[], "there is no disk"]},
    # Two windows of four were requested before the reader left at the sixth.
    "demand": {"taken": ["1", "2", "3", "4", "5", "6"], "made": 8, "has_ended": True},
    "channels": {"echoed": [NUMBERS] * 3, "answer": [], "collected": NUMBERS},
    "fragments": {"data": True, "metadata": True, "small": "small", "response": True},
    "leases": {
        "served": [[], ["one", "two"], ["one", "two", "three"]],
        "answers": ["eno", "owt", "eerht"],
        "the third waits": True,
    },
}


@pytest.mark.parametrize("program", SAID)
def test_client_and_server_of_rsocket_exchange_streams_of_both_packages(
    program: str, python: Path, tmp_path: Path
) -> None:
    script = ROOT / "tests/packaging/rsocket_programs.py"
    assert json.loads(run(python, "-W", "error", script, program, cwd=tmp_path)) == SAID[program]


@pytest.fixture
def clobbered(wheel: Path, rsocket: Path, tmp_path: Path) -> Path:
    """The interpreter of an environment with pip, our wheel and, installed after it, rsocket."""
    venv.create(tmp_path / "clobbered", with_pip=True)
    interpreter = tmp_path / "clobbered" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    install(interpreter, wheel)
    install(interpreter, rsocket)
    return interpreter


def diagnosis(interpreter: Path) -> dict[str, Any]:
    """Return what doctor finds, by the name of the check, and as `status` the worst of all."""
    command = [str(interpreter), "-m", "reactivestreams", "doctor", "--json"]
    done = subprocess.run(command, cwd=interpreter.parent, capture_output=True, text=True, timeout=60, check=False)
    report = json.loads(done.stdout)
    assert done.returncode == (1 if report["status"] == "problem" else 0)
    return {"status": report["status"], **{check["name"]: check for check in report["checks"]}}


def test_doctor_sees_a_clobbered_installation_and_its_command_repairs_it(
    clobbered: Path, wheel: Path, rsocket: Path
) -> None:
    found = diagnosis(clobbered)
    listed = ", ".join(f"reactivestreams/{name}.py (that of rsocket 0.4.20)" for name in SHARED)
    assert found["modules"]["detail"] == f"missing or not ours: {listed}"
    assert found["files"]["status"] == "problem"

    # The command as it is printed; only the index is another one, since this version is on none.
    command = found["modules"]["remedy"]
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheel.parent), "PIP_QUIET": "1"}
    shell = ["cmd", "/c", command] if sys.platform == "win32" else ["/bin/sh", "-c", command]
    run(*shell, cwd=clobbered.parent, **offline)
    repaired = diagnosis(clobbered)
    assert (repaired["modules"]["status"], repaired["files"]["status"]) == ("ok", "ok")
    assert repaired["neighbours"]["detail"].startswith("rsocket also contains a package reactivestreams")

    # One file of theirs over ours, whichever it is.
    site = Path(repaired["location"]["detail"])
    for name in ("__init__", "publisher"):
        file = f"reactivestreams/{name}.py"
        ours = (site / file).read_bytes()
        with zipfile.ZipFile(rsocket) as archive:
            (site / file).write_bytes(archive.read(file))
        partly = diagnosis(clobbered)
        assert partly["modules"]["detail"] == f"missing or not ours: {file} (that of rsocket 0.4.20)"
        assert (partly["modules"]["remedy"], partly["files"]["status"]) == (command, "problem")
        (site / file).write_bytes(ours)

    # Ours over theirs, and then theirs removed: the files that both have are gone.
    run(clobbered, "-m", "pip", "uninstall", "--quiet", "--yes", "rsocket", cwd=clobbered.parent)
    left = diagnosis(clobbered)
    listed = ", ".join(f"reactivestreams/{name}.py (missing)" for name in SHARED)
    assert (left["modules"]["detail"], left["modules"]["remedy"]) == (f"missing or not ours: {listed}", command)
    run(*shell, cwd=clobbered.parent, **offline)
    assert diagnosis(clobbered)["modules"]["status"] == "ok"
