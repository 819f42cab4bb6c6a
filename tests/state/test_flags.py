"""Flags in saved state: no number reaches the class that its members do not make up, for enum keeps each for ever."""

import enum
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, StateError
from reactivestreams.state import StateRegistry, decode_value, encode_value


def flags_and_registry() -> tuple[Any, StateRegistry]:
    """Return a new class, with a hole between its bits and a name for two of them, and its registry."""

    class Key(enum.IntFlag):
        FRONT = 1
        BACK = 2
        CELLAR = 8
        HOUSE = FRONT | BACK

    registry = StateRegistry()
    registry.register(name="key")(Key)
    return Key, registry


def saved(number: int) -> bytes:
    return b"e\x03key\x01" + encode_value(number)


@pytest.mark.parametrize("number", [4, 5, 16, 64, -1, -9, 2**63, 2**70, -(2**70)])
def test_number_with_a_bit_of_no_member_is_refused_and_not_kept(number: int) -> None:
    keys, registry = flags_and_registry()
    known = list(keys._value2member_map_)
    with pytest.raises(StateError, match=r"a value of 'key' is not one of .*Key: .* is no member of it, or another"):
        decode_value(saved(number), registry=registry)
    assert list(keys._value2member_map_) == known


def test_many_numbers_leave_nothing_behind() -> None:
    keys, registry = flags_and_registry()
    known = list(keys._value2member_map_)
    for number in range(4, 8):
        many = b"[\x64" + b"".join(saved(number + (16 << index)) for index in range(100))
        with pytest.raises(StateError, match="is no member of it"):
            decode_value(many, registry=registry)
    assert list(keys._value2member_map_) == known


def test_every_combination_of_members_is_loaded_as_the_one_that_the_class_makes() -> None:
    keys, registry = flags_and_registry()
    numbers = [0, 1, 2, 3, 8, 9, 10, 11]
    assert [decode_value(saved(number), registry=registry) for number in numbers] == numbers
    assert all(decode_value(saved(number), registry=registry) is keys(number) for number in numbers)
    assert sorted(keys._value2member_map_) == numbers  # as many as there are combinations, at most


def test_number_that_migrate_returns_is_looked_at_too() -> None:
    keys, _ = flags_and_registry()
    registry = StateRegistry()
    registry.register(name="key", version=2, migrate=lambda version, number: number + 3)(keys)
    assert decode_value(saved(5), registry=registry) is keys.CELLAR
    with pytest.raises(StateError, match="4 is no member of it"):
        decode_value(saved(1), registry=registry)
    assert 4 not in keys._value2member_map_


def test_code_of_the_class_is_not_asked_about_bits_of_no_member() -> None:
    asked: list[object] = []

    class Door(enum.Flag):
        FRONT = 1
        BACK = 2

        @classmethod
        def _missing_(cls, value: object) -> Any:
            asked.append(value)
            return super()._missing_(value)

    registry = StateRegistry()
    registry.register(name="key")(Door)
    with pytest.raises(StateError, match="is no member of it"):
        decode_value(saved(4), registry=registry)
    assert asked == []
    assert decode_value(saved(3), registry=registry) is Door(3)


@pytest.mark.parametrize("number", [4, 5, 16, 2**70])
def test_flag_with_a_bit_of_no_member_is_not_saved(number: int) -> None:
    keys, registry = flags_and_registry()
    with pytest.raises(StateError) as refused:
        encode_value([keys(number)], registry=registry)
    assert str(refused.value) == (
        f"value: {number} has bits that no member of {keys.__qualname__} has; save the number itself, or name all bits "
        f"in the class"
    )


def test_flag_with_a_negative_member_is_not_registered() -> None:
    class Endless(enum.IntFlag):
        FRONT = 1
        ALL = -1

    if Endless.ALL.value > 0:  # a later release of Python has made it the bits that there are
        StateRegistry().register(name="key")(Endless)
        return
    with pytest.raises(ArgumentError, match=r"its member ALL is -1, which has bits without end; give it the bits that"):
        StateRegistry().register(name="key")(Endless)
