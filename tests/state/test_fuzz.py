"""The fuzzer at the depth of the ordinary tests, and that it finds loaders that are wrong."""

import enum
from typing import Any

import pytest

from reactivestreams.errors import StateFormatError
from reactivestreams.state import decode_value
from tests.conftest import Depth
from tests.state.fuzz import BATCH_CASES, LIMITS, MOST_BYTES_AT_ONCE, SHARES, FindingError, Fuzzer, fuzz
from tests.state.shop import shop


@pytest.mark.slow
def test_damaged_state_is_refused_or_loaded_rightly(depth: Depth) -> None:
    fuzzer = Fuzzer(depth.seed)
    told: list[str] = []
    fuzz(fuzzer, 0, depth.scaled(20_000) // BATCH_CASES, told.append)  # the first batch is measured
    assert sum(fuzzer.cases.values()) >= 20_000
    assert "accepted, batch" in told[-1]
    # Each kind of case is both accepted and refused now and then: else it would not test much.
    for kind in SHARES:
        assert 0 < fuzzer.accepted[kind] < fuzzer.cases[kind]


def test_same_seed_makes_the_same_cases() -> None:
    first, second, other = Fuzzer(1), Fuzzer(1), Fuzzer(2)
    for fuzzer in (first, second, other):
        fuzzer.run_batch(3, cases=300)
    assert (first.accepted, first.cases) == (second.accepted, second.cases)
    assert (first.values, first.snapshots) == (second.values, second.snapshots)
    assert first.values != other.values


def sloppy_decode(data: bytes) -> Any:
    """Take the first value and forget what follows."""
    for length in range(1, len(data) + 1):
        try:
            return decode_value(data[:length], registry=shop, limits=LIMITS)
        except StateFormatError:
            continue
    raise StateFormatError("nothing")


def crashing_decode(data: bytes) -> Any:
    if len(data) > 3:
        raise IndexError("out of range")
    return decode_value(data, registry=shop, limits=LIMITS)


def forgetful_load(handle: Any, data: bytes) -> None:
    """Subscribe the tree and load nothing."""
    while handle.inputs or handle.name == "":
        handle.subscribe()
        if not handle.inputs:
            break
        (handle,) = handle.inputs


def test_value_that_is_loaded_wrongly_is_found() -> None:
    with pytest.raises(FindingError, match=r"wrong load of a value: .* became"):
        Fuzzer(1, decode=sloppy_decode).run_batch(0)


def test_error_of_another_class_is_found_with_the_case() -> None:
    with pytest.raises(FindingError, match=r"seed 1, batch 0, case .*: value raised IndexError: out of range"):
        Fuzzer(1, decode=crashing_decode).run_batch(0)


def test_snapshot_that_should_have_been_refused_is_found() -> None:
    with pytest.raises(FindingError, match="damaged snapshot was accepted"):
        Fuzzer(1, read=lambda data: None).run_batch(0)


def test_tree_that_is_loaded_wrongly_is_found() -> None:
    with pytest.raises(FindingError, match="wrong load of tree"):
        Fuzzer(1, load=forgetful_load).run_batch(0)


def test_memory_that_is_left_behind_is_found() -> None:
    kept: list[bytearray] = []

    def keeping_decode(data: bytes) -> Any:
        kept.append(bytearray(1000))
        return decode_value(data, registry=shop, limits=LIMITS)

    with pytest.raises(FindingError, match=r"seed 1, batch 0: .* bytes at once, .*; [\d,]{9,} left behind, of at most"):
        Fuzzer(1, decode=keeping_decode).run_measured_batch(0)


def test_memory_that_a_case_asks_for_without_bound_is_found() -> None:
    def greedy_decode(data: bytes) -> Any:
        bytearray(MOST_BYTES_AT_ONCE)
        return decode_value(data, registry=shop, limits=LIMITS)

    with pytest.raises(FindingError, match=r"seed 1, batch 0: [\d,]{9,} bytes at once, of at most 8,388,608"):
        Fuzzer(1, decode=greedy_decode).run_measured_batch(0, cases=20)


def test_number_that_a_flag_keeps_is_found() -> None:
    class Key(enum.IntFlag):
        FRONT = 1

    def calling_decode(data: bytes) -> Any:
        Key(64)
        return decode_value(data, registry=shop, limits=LIMITS)

    with pytest.raises(FindingError, match=r"seed 1, batch 0: loading left Key\(64\) behind, and 0 more"):
        Fuzzer(1, decode=calling_decode, flags=(Key,)).run_batch(0, cases=20)
