"""The compiled transitions of serial_word.h are those of the models: on all states, and when the models run them."""

from itertools import product
from types import ModuleType

import pytest

from tests.interleavings import serial_word
from tests.interleavings.test_drain_model import SITUATIONS as DRAINS
from tests.interleavings.test_drain_model import explore_drain
from tests.interleavings.test_emitter_model import SITUATIONS as DELIVERIES
from tests.interleavings.test_emitter_model import explore_delivery
from tests.native.building import build_harnesses
from tests.native.compiling import HARNESSES, installed_core, load

# How many arguments each transition has behind the word.
TRANSITIONS = {
    "try_acquire": 0,
    "try_acquire_idle": 0,
    "acquire_or_mark": 0,
    "set_or_acquire": 3,
    "clear_missed": 0,
    "mark_missed": 0,
    "try_release": 1,
    "try_release_from": 1,
    "release_token": 0,
    "set_relaxed": 1,
    "clear_release": 1,
    "clear_acquire": 1,
}
CONSTANTS = ("TOKEN", "MISSED", "FINAL", "MARKED", "ACQUIRED")

# The token, MISSED and two bits of the user: more of them behave as these do.
STATES = range(16)
USERS_BITS = (0, 4, 8, 12)


@pytest.fixture(scope="module", params=[(), (("RS_ATOMIC_WORDS", None),)], ids=["as installed", "atomic"])
def compiled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The compiled transitions, on the words of this build and on atomic ones."""
    pytest.importorskip("Cython", reason="the harnesses are compiled by Cython, which the group dev installs")
    folder = tmp_path_factory.mktemp("serial_words")
    (binary,) = build_harnesses([HARNESSES / "serial_words.pyx"], folder, core=installed_core(), macros=request.param)
    return load(binary)


@pytest.mark.parametrize("name", CONSTANTS)
def test_each_constant_of_the_models_is_the_compiled_one(name: str, compiled: ModuleType) -> None:
    assert getattr(serial_word, name) == getattr(compiled, name)


@pytest.mark.parametrize("name", TRANSITIONS)
def test_each_transition_of_the_models_does_on_every_state_what_the_compiled_one_does(
    name: str, compiled: ModuleType
) -> None:
    model, function = getattr(serial_word, name), getattr(compiled, name)
    values = STATES if name in ("try_release", "try_release_from") else USERS_BITS
    different = []
    for word, *arguments in product(STATES, *(values for _ in range(TRANSITIONS[name]))):
        if model(word, *arguments) != function(word, *arguments):
            different.append((word, *arguments))
    assert different == []


def test_no_transition_is_left_out(compiled: ModuleType) -> None:
    functions = {name for name, found in vars(serial_word).items() if callable(found)}
    header = (installed_core() / "sync/serial_word.pxd").read_text(encoding="utf-8")
    assert functions == set(TRANSITIONS)
    assert {name for name in TRANSITIONS if f'"rs_serial_{name}"' in header} == set(TRANSITIONS)
    assert header.count('"rs_serial_') == len(TRANSITIONS) + 1  # and connect_log


def run_compiled(monkeypatch: pytest.MonkeyPatch, compiled: ModuleType) -> None:
    for name in TRANSITIONS:
        monkeypatch.setattr(serial_word, name, getattr(compiled, name))


@pytest.mark.slow
@pytest.mark.parametrize("situation", DRAINS)
def test_one_thread_drains_in_any_interleaving_of_the_compiled_transitions(
    situation: str, compiled: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_compiled(monkeypatch, compiled)
    assert explore_drain(situation) > 50


@pytest.mark.slow
@pytest.mark.parametrize("situation", DELIVERIES)
def test_one_thread_delivers_in_any_interleaving_of_the_compiled_transitions(
    situation: str, compiled: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_compiled(monkeypatch, compiled)
    assert explore_delivery(situation) > 50
