"""What the core exports to other extensions: it can be cimported from outside, it links, and it does what it says."""

import re
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest

from rs_core.spsc_ring import SpscRing
from tests.native.compiling import HARNESSES, compile_harnesses, installed_core

MODULES = ["arguments", "demand", "object_handoff", "parker", "role", "spsc_ring"]
UNBOUNDED = 2**63 - 1

# A function: at the top level with `cdef`, or inside a `cdef extern` block.
FUNCTION = re.compile(r"^(?:cdef (?:inline )?|    )(?!cdef|ctypedef)[\w*]+[ *]+(\w+)(?: \"\w+\")?\(", re.MULTILINE)


@pytest.fixture
def exported(harnesses: dict[str, ModuleType]) -> ModuleType:
    return harnesses["exported_names"]


def exported_functions(module: str) -> set[str]:
    return set(FUNCTION.findall((installed_core() / f"{module}.pxd").read_text(encoding="utf-8")))


def test_functions_are_found_in_a_pxd() -> None:
    assert exported_functions("parker") == {
        "park_interruptibly",
        "parker_free",
        "parker_new",
        "parker_park",
        "parker_unpark",
    }


@pytest.mark.parametrize("module", MODULES)
def test_the_harness_uses_every_exported_function(module: str) -> None:
    source = (HARNESSES / "exported_names.pyx").read_text(encoding="utf-8")
    _, _, uses = source.partition("def use_atomics")
    unused = {name for name in exported_functions(module) if not re.search(rf"\b{name}\b", uses)}
    assert unused == set()


@pytest.mark.slow
def test_every_installed_pxd_can_be_cimported_from_outside(tmp_path: Path) -> None:
    pytest.importorskip("Cython", reason="the harnesses are compiled by Cython, which the group dev installs")
    names = sorted(path.stem for path in installed_core().glob("*.pxd") if not path.stem.startswith("_"))
    source = tmp_path / "cimports_all.pyx"
    lines = [f"cimport rs_core.{name}" for name in names]
    source.write_text("\n".join([*lines, f"NAMES = {names!r}"]) + "\n", encoding="utf-8")
    (module,) = compile_harnesses([source], tmp_path / "built")
    assert (module.NAMES, set(MODULES) - set(names)) == (names, set())


def test_atomics_work_from_outside(exported: ModuleType) -> None:
    assert exported.use_atomics() == (-1, 1, 2, 3)


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


def test_the_slots_of_a_public_ring_work_from_outside(exported: ModuleType) -> None:
    ring: SpscRing[str] = SpscRing(1)
    assert (exported.use_public_ring(ring, "element"), ring.drain()) == ((True, 2**24), ["element"])


def test_a_role_is_refused_while_it_is_taken_where_threads_run_in_parallel(exported: ModuleType) -> None:
    has_gil = not sysconfig.get_config_var("Py_GIL_DISABLED")
    assert exported.use_role() == (True, has_gil, True)


def test_the_parker_works_from_outside(exported: ModuleType) -> None:
    assert exported.use_parker() == ((True, True), (True, True))
