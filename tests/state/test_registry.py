"""Classes of a program in saved state: registering, versions, migration, and what a changed class does to old state."""

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field
from typing import Any, ClassVar

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from reactivestreams.state import StateRegistry, decode_value, encode_value


@dataclass
class PointV1:
    x: int
    y: int


@dataclass
class PointV2:
    x: float
    y: float
    unit: str


class Level(enum.Enum):
    LOW = 1
    HIGH = 2
    TOP = HIGH


class Right(enum.Flag):
    READ = 1
    WRITE = 2


def registry_of(cls: type, *, version: int = 1, migrate: Callable[[int, Any], Any] | None = None) -> StateRegistry:
    registry = StateRegistry()
    assert registry.register(name="it", version=version, migrate=migrate)(cls) is cls
    return registry


SAVED_POINT = encode_value(PointV1(1, 2), registry=registry_of(PointV1))


def upgraded(version: int, fields: dict[str, Any]) -> dict[str, Any]:
    assert version == 1
    return {"x": float(fields["x"]), "y": float(fields["y"]), "unit": "m"}


def refusal(data: bytes, registry: StateRegistry) -> str:
    with pytest.raises(StateError) as refused:
        decode_value(data, registry=registry)
    return str(refused.value)


def test_older_version_is_migrated() -> None:
    registry = registry_of(PointV2, version=2, migrate=upgraded)
    assert decode_value(SAVED_POINT, registry=registry) == PointV2(1.0, 2.0, "m")


def test_older_version_without_migration_is_refused() -> None:
    assert refusal(SAVED_POINT, registry_of(PointV2, version=2)) == (
        "value, byte 6: a value of 'it' in version 1, and version 2 is registered; "
        "register it with migrate=, a function that makes version 2 of what was saved"
    ).replace("byte 6", f"byte {len(SAVED_POINT)}")


def test_newer_version_is_refused() -> None:
    newer = encode_value(PointV2(1.0, 2.0, "m"), registry=registry_of(PointV2, version=2))
    assert "a value of 'it' in version 2, and version 1 is registered; load it with the release" in refusal(
        newer, registry_of(PointV1)
    )


def test_changed_fields_without_a_new_version_are_refused() -> None:
    assert "is not one of PointV2: it has more or fewer fields; register the class with a higher version" in refusal(
        SAVED_POINT, registry_of(PointV2)
    )

    @dataclass
    class Renamed:
        x: int
        z: int

    assert "its fields have other names or another order" in refusal(SAVED_POINT, registry_of(Renamed))


def test_migration_that_fails_is_told_with_its_cause() -> None:
    def failing(version: int, fields: dict[str, Any]) -> dict[str, Any]:
        raise KeyError("unit")

    registry = registry_of(PointV2, version=2, migrate=failing)
    with pytest.raises(
        StateError, match="migrate of 'it' failed for version 1: KeyError: 'unit'; correct it"
    ) as refused:
        decode_value(SAVED_POINT, registry=registry)
    assert isinstance(refused.value.__cause__, KeyError)


@pytest.mark.parametrize("answer", [None, {}, {"x": 1.0, "y": 2.0}, {"x": 1.0, "y": 2.0, "unit": "m", "z": 0}])
def test_migration_that_returns_other_fields_is_refused(answer: Any) -> None:
    said = refusal(SAVED_POINT, registry_of(PointV2, version=2, migrate=lambda version, fields: answer))
    assert f"is not one of PointV2: migrate returned {answer!r} for version 1" in said


def test_migration_gets_the_fields_by_name_in_their_order() -> None:
    seen: list[Any] = []

    def watching(version: int, fields: dict[str, Any]) -> dict[str, Any]:
        seen.append((version, list(fields.items())))
        return upgraded(version, fields)

    decode_value(SAVED_POINT, registry=registry_of(PointV2, version=2, migrate=watching))
    assert seen == [(1, [("x", 1), ("y", 2)])]


def test_member_is_migrated_by_its_name() -> None:
    class Older(enum.Enum):
        HIGHEST = 9

    saved = encode_value(Older.HIGHEST, registry=registry_of(Older))
    names = {"HIGHEST": "HIGH"}
    registry = registry_of(Level, version=2, migrate=lambda version, name: names[name])
    assert decode_value(saved, registry=registry) is Level.HIGH


def test_member_that_is_gone_is_refused() -> None:
    saved = encode_value(Level.LOW, registry=registry_of(Level)).replace(b"LOW", b"MID")
    assert "'MID' is no member of it, or another name of one; register the class with a higher version" in refusal(
        saved, registry_of(Level)
    )


def test_other_name_of_a_member_is_refused_since_it_is_never_written() -> None:
    saved = encode_value(Level.LOW, registry=registry_of(Level)).replace(b"LOW", b"TOP")
    assert "'TOP' is no member of it, or another name of one" in refusal(saved, registry_of(Level))


@pytest.mark.parametrize("number", [b"i\x08", b"i\x01", b"i\x80\x02", b"s\x01a", b"T"])
def test_number_that_is_no_flag_is_refused(number: bytes) -> None:
    registry = registry_of(Right)
    saved = encode_value(Right.READ, registry=registry)
    assert saved.endswith(b"i\x02")
    assert "is no member of it" in refusal(saved[:-2] + number, registry)


def test_dataclass_is_not_read_as_an_enumeration_nor_the_reverse() -> None:
    said = "a value of 'it', which is registered as another kind of class; register "
    assert said in refusal(SAVED_POINT, registry_of(Level))
    assert said in refusal(encode_value(Level.LOW, registry=registry_of(Level)), registry_of(PointV1))


# --- what is restored -----------------------------------------------------------------------------------------------


def test_no_code_of_the_class_runs_when_it_is_loaded() -> None:
    calls: list[str] = []

    @dataclass
    class Talking:
        number: int
        seed: InitVar[int] = 0
        hidden: int = field(init=False, default=3, repr=False, compare=False)
        count: ClassVar[int] = 0

        def __post_init__(self, seed: int) -> None:
            calls.append("__post_init__")

        def __setattr__(self, name: str, value: object) -> None:
            calls.append(name)
            super().__setattr__(name, value)

    registry = registry_of(Talking)
    talking = Talking(7)
    talking.hidden = 5
    saved = encode_value(talking, registry=registry)
    calls.clear()
    again = decode_value(saved, registry=registry)
    assert (again.number, again.hidden, calls) == (7, 5, [])


def test_field_that_cannot_be_set_is_refused() -> None:
    @dataclass
    class Sealed:
        number: int

    saved = encode_value(Sealed(1), registry=registry_of(Sealed))
    Sealed.number = property(lambda self: 7)  # type: ignore[assignment, method-assign]
    assert "a value of 'it' is not one of" in refusal(saved, registry_of(Sealed))


def test_instances_of_an_older_class_and_of_the_newer_one_are_distinguished() -> None:
    registry = StateRegistry()
    registry.register(name="point/1")(PointV1)
    registry.register(name="point/2")(PointV2)
    assert decode_value(
        encode_value([PointV1(1, 2), PointV2(1.0, 2.0, "m")], registry=registry), registry=registry
    ) == [
        PointV1(1, 2),
        PointV2(1.0, 2.0, "m"),
    ]


# --- registering ----------------------------------------------------------------------------------------------------


class Open:
    """Neither a dataclass nor anything else that is known."""


class Derived(PointV1):
    """A dataclass by inheritance only."""


@dataclass
class Shape(ABC):
    name: str

    @abstractmethod
    def area(self) -> float: ...


@dataclass
class Counts(dict[str, int]):
    total: int


@pytest.mark.parametrize(
    ("cls", "said"),
    [
        (Open, "is neither a dataclass nor an enumeration nor an exception; save what its values consist of"),
        (Derived, "is neither a dataclass nor an enumeration nor an exception"),
        (int, "is neither a dataclass nor an enumeration nor an exception"),
        (KeyboardInterrupt, "is neither a dataclass nor an enumeration nor an exception"),
        (Shape, r"cannot be made from its fields alone \(Can't instantiate abstract class Shape"),
        (Counts, r"cannot be made from its fields alone \(object.__new__\(Counts\) is not safe"),
        (PointV1(1, 2), r"PointV1\(x=1, y=2\) is not a class; register a dataclass"),
    ],
)
def test_class_that_cannot_take_part_is_refused(cls: Any, said: str) -> None:
    with pytest.raises(ArgumentTypeError, match=said):
        StateRegistry().register(name="it")(cls)


@pytest.mark.parametrize(
    ("arguments", "kind", "said"),
    [
        ({"name": ""}, ArgumentError, "it is empty; pass one of your own"),
        ({"name": "ValueError"}, ArgumentError, "it is that of a known exception"),
        ({"name": "reactivestreams.errors.StateError"}, ArgumentError, "it is that of a known exception"),
        ({"name": 3}, ArgumentTypeError, "name needs a str, got int"),
        ({"name": "it", "version": 0}, ArgumentError, "version needs 1 to 2147483647, got 0; begin with 1"),
        ({"name": "it", "version": 2**31}, ArgumentError, "version needs 1 to 2147483647"),
        ({"name": "it", "version": True}, ArgumentTypeError, "version needs an int, got True"),
        ({"name": "it", "migrate": "no"}, ArgumentTypeError, "migrate needs a callable, got 'no'"),
    ],
)
def test_bad_argument_is_refused(arguments: dict[str, Any], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        StateRegistry().register(**arguments)(PointV1)


@pytest.mark.parametrize("arguments", [{"version": 2}, {"migrate": upgraded}])
def test_exception_has_no_versions(arguments: dict[str, Any]) -> None:
    class OwnError(Exception):
        """Of a program."""

    with pytest.raises(ArgumentError, match="its message, rule and notes are saved, which have no versions"):
        StateRegistry().register(name="it", **arguments)(OwnError)


def test_name_belongs_to_one_class_and_class_to_one_name() -> None:
    registry = registry_of(PointV1)
    with pytest.raises(ArgumentError, match=r"'it' is the name of .*PointV1.* in saved state already, and cannot be"):
        registry.register(name="it")(PointV2)
    with pytest.raises(ArgumentError, match=r"is called 'it' in saved state already, and cannot be 'that', too"):
        registry.register(name="that")(PointV1)
    assert repr(registry) == "StateRegistry(it)"


def test_same_class_may_be_registered_again_with_another_version() -> None:
    registry = registry_of(PointV1)
    registry.register(name="it", version=2, migrate=lambda version, fields: fields)(PointV1)
    assert registry.by_name["it"].version == 2
    assert decode_value(SAVED_POINT, registry=registry) == PointV1(1, 2)


def test_registries_know_nothing_of_each_other() -> None:
    assert "which is not registered; register the class before loading" in refusal(SAVED_POINT, StateRegistry())


def test_registered_class_is_described() -> None:
    kind = registry_of(PointV1).by_class[PointV1]
    assert repr(kind) == "StateKind(PointV1, name='it', version=1)"
    assert (kind.kind, kind.name, kind.version, kind.migrate, kind.fields) == (PointV1, "it", 1, None, ("x", "y"))


def test_exception_whose_rule_cannot_be_set_is_refused() -> None:
    class Ruled(Exception):  # noqa: N818
        @property
        def rule(self) -> str:
            return "3.9"

    registry = registry_of(Ruled)
    saved = encode_value(Ruled("why"), registry=registry).replace(b"3.9", b"1.1")
    assert "the rule of 'it' cannot be set: AttributeError; let its class take the attribute rule" in refusal(
        saved, registry
    )
