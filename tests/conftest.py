"""What holds for every test: how much is sampled, which build is under test, what may outlive a test."""

import gc
import os
import random
import signal
import sys
import threading
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import hypothesis
import pytest

# Read when the core is first imported. ci/test.sh runs the tests of the sanitizer build without, so that the links
# between stages are tested as they are where nothing is checked, too.
os.environ.setdefault("REACTIVESTREAMS_DEBUG", "1")

# A thread that was told to stop is given this long to do so before it counts as left behind.
THREAD_EXIT_SECONDS = 30.0

# Examples of each property, and positions of each test that goes through positions.
EXAMPLES = {"gate": 50, "full": 500, "night": 10_000}

# The gate repeats itself: what fails there fails because of the change, not by chance.
GATE_SEED = 20130101


@dataclass(frozen=True)
class Depth:
    """How much a run samples: `RS_TEST_DEPTH` names it, `RS_TEST_SEED` repeats its random choices."""

    name: str
    seed: int

    @classmethod
    def chosen(cls, environment: Mapping[str, str]) -> "Depth":
        name = environment.get("RS_TEST_DEPTH") or "gate"
        if name not in EXAMPLES:
            raise pytest.UsageError(f"RS_TEST_DEPTH={name!r} is no depth; take one of {', '.join(EXAMPLES)}")
        fresh = GATE_SEED if name == "gate" else random.SystemRandom().getrandbits(32)
        seed = environment.get("RS_TEST_SEED") or str(fresh)
        if not seed.isdecimal():
            raise pytest.UsageError(f"RS_TEST_SEED={seed!r} is no seed; take a whole number >= 0")
        return cls(name, int(seed))

    @property
    def examples(self) -> int:
        return EXAMPLES[self.name]

    def scaled(self, rounds: int) -> int:
        """Return how many rounds to run of a test that runs so many at the gate."""
        return rounds * self.examples // EXAMPLES["gate"]

    def sample(self, positions: list[int]) -> list[int]:
        """Return the positions to try: all, or as many as this depth tries, the first and the last among them."""
        if len(positions) <= self.examples:
            return positions
        between = random.Random(self.seed).sample(positions[1:-1], self.examples - 2)
        return [positions[0], *sorted(between), positions[-1]]


DEPTH = pytest.StashKey[Depth]()

CHOSEN = pytest.StashKey[set[str]]()

# What a change runs at once, and the parts of the rest, which machines can run side by side (ci/test.sh).
QUICK = "quick"
PARTS = (QUICK, "core", "kit", "spark", "builds", "kafka", "cluster", "check")

# Judges the text of files, needs no build, and is run by make check.
OF_CHECK = "tests/architecture/sources/"

# The part of a test that is not quick, by its folder; in no other folder, the core.
PART_OF_FOLDER = {
    "architecture": "builds",
    "demo": "spark",
    "documentation": "builds",
    "examples": "builds",
    "native": "builds",
    "packaging": "builds",
    "spark": "spark",
    "spark_crash": "spark",
    "subjects": "kit",
    "tck": "kit",
    "tck_selftest": "kit",
}

# Their tests need a broker, which is fetched, and which a part of its own starts: make kafka-test.
WITH_BROKER = tuple(f"tests/engine/test_kafka_{name}.py" for name in ("kills", "records", "topic"))

# Their tests need a cluster, whose machines only root may make, and which a part of its own starts: make cluster-test.
ON_CLUSTER = "tests/spark/cluster/"

# What their tests share takes long to make, so that none of them is quick.
MADE_FIRST = {"native", "packaging", "tck_selftest"}


def chosen_parts(environment: Mapping[str, str]) -> set[str]:
    """Return the parts that `RS_TEST_PARTS` names, with spaces between them; all where it names none."""
    parts = set((environment.get("RS_TEST_PARTS") or " ".join(PARTS)).split())
    if unknown := sorted(parts - set(PARTS)):
        raise pytest.UsageError(f"RS_TEST_PARTS: {unknown[0]!r} is no part; take some of {', '.join(PARTS)}")
    return parts


def part_of(item: pytest.Item) -> str:
    """Return the part in which a test is run: each is in exactly one."""
    folder = folder_of(item.nodeid)
    if item.nodeid.startswith(OF_CHECK):
        return "check"
    if item.nodeid.startswith(ON_CLUSTER):
        return "cluster"
    is_spark = item.get_closest_marker("spark") is not None
    is_quick = not (is_spark or folder in MADE_FIRST or item.get_closest_marker("slow"))
    if is_quick or item.get_closest_marker("smoke"):
        return QUICK
    if item.nodeid.startswith(WITH_BROKER):
        return "kafka"
    return "spark" if is_spark else PART_OF_FOLDER.get(folder, "core")


def pytest_configure(config: pytest.Config) -> None:
    built_profile()
    heed_ctrl_c()
    config.stash[CHOSEN] = chosen_parts(os.environ)
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        os.environ.pop("RS_TEST_PARTS", None)  # where tests run: those that they run themselves are all
    depth = config.stash[DEPTH] = Depth.chosen(os.environ)
    os.environ["RS_TEST_SEED"] = str(depth.seed)  # processes that run tests for this one draw the same
    if config.getoption("--hypothesis-seed") is None:
        config.option.hypothesis_seed = str(depth.seed)
    hypothesis.settings.register_profile(
        depth.name, max_examples=depth.examples, deadline=None, database=None, print_blob=True
    )
    hypothesis.settings.load_profile(depth.name)


OPTIONAL = ("pyarrow",)
"""What the package does without, as do its tests beside an installed wheel; `make test` has it."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Skip a test that needs an optional package which is not installed, such as one case of a walk over operators."""
    try:
        yield
    except (ModuleNotFoundError, ExceptionGroup) as error:
        cause: Exception = error
        while isinstance(cause, ExceptionGroup) and len(cause.exceptions) == 1:  # trio's
            cause = cause.exceptions[0]
        if not isinstance(cause, ModuleNotFoundError) or cause.name not in OPTIONAL:
            raise
        pytest.skip(f"{cause.name} is not installed, which {item.name} needs")


def heed_ctrl_c() -> None:
    """Undo that a shell lets the processes of the background ignore SIGINT: tests of Ctrl-C would wait for ever."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def built_profile() -> str:
    """Return the profile of the build under test; refuse another one than `RS_TEST_PROFILE` asks for."""
    try:
        from rs_core.build_profile import PROFILE
    except ImportError as error:
        raise pytest.UsageError(f"the core is not built ({error}); run ci/test.sh, which builds it") from None
    asked = os.environ.get("RS_TEST_PROFILE", PROFILE)
    if asked != PROFILE:
        raise pytest.UsageError(f"the tests of the {asked} build were asked for, but the {PROFILE} build was imported")
    return PROFILE


def pytest_report_header() -> str:
    from rs_core.debug_checks import are_debug_checks_on

    return f"rs_core: {built_profile()} build, debug checks {'on' if are_debug_checks_on() else 'off'}"


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that was asked to show that the GIL stays off (`RS_TEST_WITHOUT_GIL`) where something put it on."""
    if os.environ.get("RS_TEST_WITHOUT_GIL") and has_gil():
        session.config.get_terminal_writer().line("\nthe GIL is on: no free-threaded interpreter, or a module wants it")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def has_gil() -> bool:
    """Return whether the GIL is on in this process, now."""
    return bool(getattr(sys, "_is_gil_enabled", lambda: True)())


# What takes longest begins first, and in one process, since its tests share what they have made.
LONG_FOLDERS = ("packaging", "tck_selftest", "native", "spark", "documentation")

# Below a long folder, but with processes of their own: what their tests share is made anew for each file anyway. Those
# that take longest begin first.
OWN_PROCESSES = (
    "tests/spark/processes/test_crash.py",
    "tests/spark/processes/test_session_stop.py",
    "tests/spark/sinks/test_to_table_delta.py",
    "tests/spark/processes/",
)

# Parts of a long folder, each in a process of its own, whose sessions serve all of its tests. That of the pipelines
# needs no cluster and nearly no Connect server.
GROUPS = {
    "pipelines": ("bridge", "keyed", "on_error", "plan", "progress", "stateless"),
    "edges": ("sinks", "sources", "storage"),
}

# Files that would keep one process busy at the end, when the others have nothing to do any more.
LONG_FILES = (
    "tests/stream/test_turns.py",
    "tests/engine/test_crash_model.py",
    "tests/testing/crash/test_own_edges.py",
    "tests/oracle/test_oracle.py",
)

# What waits most of its time comes last of these, so that other tests have the processors meanwhile.
WAITING_FOLDERS = ("tck", "subjects", "examples")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is in no chosen part, and let begin first what takes long."""
    parts = config.stash[CHOSEN]
    left_out = [item for item in items if part_of(item) not in parts]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if part_of(item) in parts]
    order = {name: position for position, name in enumerate((*LONG_FOLDERS, *LONG_FILES, *WAITING_FOLDERS))}

    def place(item: pytest.Item) -> tuple[int, int]:
        folder = order.get(folder_of(item.nodeid), len(order))
        own = next((rank for rank, start in enumerate(OWN_PROCESSES) if item.nodeid.startswith(start)), -1)
        return order.get(item.nodeid.partition("::")[0], folder), own

    items.sort(key=place)


def pytest_collection_finish() -> None:
    """Let collections, of which the kit's checks of §3.13 ask for many, pass over what was imported and collected."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Where several processes run the tests, keep each file, and each folder that takes long, in one of them."""
    from xdist.scheduler import LoadScopeScheduling

    class GroupScheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return GroupScheduling(config, log)


def group_of(nodeid: str) -> str:
    """Return the folder of a test, or a part of it, if that takes long and its tests share something, else its file."""
    folder = folder_of(nodeid)
    path = nodeid.partition("::")[0]
    if folder not in LONG_FOLDERS or path.startswith(OWN_PROCESSES):
        return path
    inner = path.split("/")[2]
    part = next((name for name, folders in GROUPS.items() if inner in folders), None)
    return f"{folder}: {part}" if part and not path.endswith("_elsewhere.py") else folder


def folder_of(nodeid: str) -> str:
    """Return the folder below tests in which a test stands, or the name of its file where it stands in none."""
    return nodeid.partition("::")[0].removeprefix("tests/").partition("/")[0]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> Iterator[None]:
    yield
    depth = config.stash[DEPTH]
    terminalreporter.write_line(
        f"depth {depth.name}: {depth.examples} examples a property, RS_TEST_SEED={depth.seed}; "
        f"RS_TEST_DEPTH={'|'.join(EXAMPLES)} sets it"
    )


@pytest.fixture(scope="session")
def depth(pytestconfig: pytest.Config) -> Depth:
    """How much to sample: a test that goes through positions tries `depth.sample(positions)`."""
    return pytestconfig.stash[DEPTH]


@pytest.fixture(autouse=True)
def nothing_outlives_its_test(request: pytest.FixtureRequest) -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    # It would be the context of what later tests raise.
    assert sys.exc_info()[1] is None, "the test left an exception behind that still counts as being handled"
    # Spark's client keeps threads of its own for as long as its session lives.
    spark = request.node.get_closest_marker("spark") is not None
    left = []
    for thread in set(threading.enumerate()) - before:
        ours = thread.name.startswith("reactivestreams-") and thread.name != "reactivestreams-shared"
        if ours or not (thread.daemon or spark):
            thread.join(THREAD_EXIT_SECONDS)
            if thread.is_alive():
                left.append(thread.name)
    assert left == [], f"the test left threads behind: {left}; dispose their scheduler, or join them, before it ends"


@pytest.fixture
def dropped_signals() -> Iterator[list[tuple[str, Any, str]]]:
    """Signal, value and origin of everything that was dropped during the test."""
    from rs_core.dropped import set_hook  # not before what is asked of the core has been set above

    told: list[tuple[str, Any, str]] = []
    previous = set_hook(lambda signal, value, *, origin: told.append((signal, value, origin)))
    yield told
    set_hook(previous)
