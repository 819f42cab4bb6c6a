"""What the core exports to other extensions: it can be cimported from outside, it links, and it does what it says."""

import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest

from rs_core.abi import ABI_NUMBER
from rs_core.queues.mpsc_ring import MpscRing
from rs_core.queues.spsc_ring import SpscRing
from tests.native.compiling import compile_harnesses, installed_modules
from tests.rs_core.recording_subscriber import RecordingSubscriber

UNBOUNDED = 2**63 - 1


@pytest.fixture
def exported(harnesses: dict[str, ModuleType]) -> ModuleType:
    return harnesses["exported_names"]


@pytest.mark.slow
def test_every_installed_pxd_can_be_cimported_from_outside(tmp_path: Path) -> None:
    pytest.importorskip("Cython", reason="the harnesses are compiled by Cython, which the group dev installs")
    names = list(installed_modules())
    source = tmp_path / "cimports_all.pyx"
    lines = [f"cimport rs_core.{name}" for name in names]
    source.write_text("\n".join([*lines, f"NAMES = {names!r}"]) + "\n", encoding="utf-8")
    (module,) = compile_harnesses([source], tmp_path / "built")
    assert list(module.NAMES) == names


def test_atomics_work_from_outside(exported: ModuleType) -> None:
    assert exported.use_atomics() == (-1, 1, 2, 3)


def test_words_for_the_gil_work_from_outside(exported: ModuleType) -> None:
    assert exported.use_gil_words() == (2, 1, 3, 255, 2**63)


def test_an_extension_knows_the_number_that_it_was_built_for(exported: ModuleType) -> None:
    assert exported.use_abi() == ABI_NUMBER


def test_calls_work_from_outside(exported: ModuleType) -> None:
    assert exported.use_calls(lambda *arguments: arguments, 1, 2) == ((1,), (1, 2), 2**40, 1, True)


def test_a_call_that_raises_leaves_the_exception_to_be_caught(exported: ModuleType) -> None:
    first, second, *_ = exported.use_calls(int, "x", None)
    assert (type(first), type(second)) == (ValueError, TypeError)


@pytest.mark.parametrize(("argument", "answer"), [(1, (1, None)), (0, (0, None)), ("x", (-1, ValueError))])
def test_the_truth_of_a_result_works_from_outside(exported: ModuleType, argument: object, answer: object) -> None:
    assert exported.use_truth(int, argument) == answer


def test_references_are_made_and_dropped_from_outside(exported: ModuleType) -> None:
    element = object()
    before = sys.getrefcount(element)
    assert (exported.use_references(element), sys.getrefcount(element)) == (True, before)


def test_argument_checks_work_from_outside(exported: ModuleType) -> None:
    assert exported.use_arguments(7) == (7, 7, "7")


@pytest.mark.parametrize(
    ("n", "answer"),
    [
        (0, (True, 0)),
        (1, (True, 1)),
        (2**30 - 1, (True, 2**30 - 1)),
        (2**70, (False, -7)),
        (True, (False, -7)),
        ("3", (False, -7)),
        (1.0, (False, -7)),
    ],
)
def test_small_ints_are_told_from_all_else(exported: ModuleType, n: object, answer: tuple[bool, int]) -> None:
    assert exported.use_small_int(n) == answer


def test_demand_works_from_outside(exported: ModuleType) -> None:
    before, taken, cancelled, unbounded, message = exported.use_demand(3)
    assert (before, taken, cancelled, unbounded) == ((0, 0), (2, 1, 1), (True, False, True), UNBOUNDED)
    assert message.startswith("§3.9: request(n) needs n > 0, got 0;")


def test_the_ring_works_from_outside(exported: ModuleType) -> None:
    first, second = object(), object()
    before = sys.getrefcount(first), sys.getrefcount(second)
    assert exported.use_ring(3, first, second) == ((2, 2, 1, 3, True), True, True, True)
    assert (sys.getrefcount(first), sys.getrefcount(second)) == before


def test_the_ring_of_many_producers_works_from_outside(exported: ModuleType) -> None:
    first, second = object(), object()
    before = sys.getrefcount(first), sys.getrefcount(second)
    state, *answers, closed, offers = exported.use_shared_ring(3, first, second)
    assert (state, answers) == ((2, 2, 3, True), [True, True, True])
    assert closed == (False, True, False, True, True)
    assert offers == ["accepted", "accepted", "accepted", "accepted", "accepted", "full", "closed"]
    assert (sys.getrefcount(first), sys.getrefcount(second)) == before


def test_the_slots_of_a_type_are_replaced_from_outside(exported: ModuleType) -> None:
    assert exported.use_type_slots() is True


def test_the_slots_of_a_public_ring_work_from_outside(exported: ModuleType) -> None:
    ring: SpscRing[str] = SpscRing(1)
    assert (exported.use_public_ring(ring, "element"), ring.drain()) == ((True, 2**24), ["element"])


def test_the_slots_of_a_public_ring_of_many_producers_work_from_outside(exported: ModuleType) -> None:
    ring: MpscRing[str] = MpscRing(1)
    assert (exported.use_public_mpsc_ring(ring, "element"), ring.drain()) == ((True, True), ["element"])


def test_a_role_is_refused_while_it_is_taken_where_threads_run_in_parallel(exported: ModuleType) -> None:
    has_gil = not sysconfig.get_config_var("Py_GIL_DISABLED")
    assert exported.use_role() == (True, has_gil, True)


def test_the_parker_works_from_outside(exported: ModuleType) -> None:
    assert exported.use_parker() == ((True, True), (True, True), True)


def test_the_emitter_works_from_outside(exported: ModuleType) -> None:
    subscriber = RecordingSubscriber()
    assert exported.use_emitter(subscriber) == ("accepted", (True, False), "terminated")
    assert subscriber.signals == [("on_next", "element"), ("on_complete",)]
