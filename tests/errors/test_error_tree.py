"""The exception tree: bases, default rules, copies and pickles."""

import copy
import pickle

import pytest

import reactivestreams.errors
import rs_core.errors
from rs_core.errors import (
    AlreadySubscribedError,
    ArgumentError,
    InvalidRequestError,
    NullElementError,
    ReactiveStreamsError,
)

TREE = {
    "AbiMismatchError": (ImportError, None),
    "AlreadySubscribedError": (RuntimeError, "2.12"),
    "ArgumentError": (ValueError, None),
    "ArgumentTypeError": (TypeError, None),
    "CapacityError": (RuntimeError, None),
    "DemandExceededError": (RuntimeError, "1.1"),
    "EmptyStreamError": (LookupError, None),
    "InvalidRequestError": (ValueError, "3.9"),
    "InvalidRequestTypeError": (TypeError, "3.9"),
    "MissingExtraError": (ImportError, None),
    "MoreThanOneElementError": (LookupError, None),
    "NullElementError": (TypeError, "2.13"),
    "ReactiveStreamsError": (Exception, None),
    "RecoveredError": (Exception, None),
    "RunningEventLoopError": (RuntimeError, None),
    "SchedulerDisposedError": (RuntimeError, None),
    "SchedulerFullError": (RuntimeError, None),
    "SignalAfterEndError": (RuntimeError, "1.7"),
    "SignalOverlapError": (RuntimeError, "1.3"),
    "SourceUsedTwiceError": (RuntimeError, "1.10"),
    "StateError": (RuntimeError, None),
    "StateFormatError": (ValueError, None),
    "StateLimitError": (RuntimeError, None),
    "StateTypeError": (TypeError, None),
    "StreamCancelledError": (RuntimeError, None),
    "WouldDeadlockError": (RuntimeError, None),
    "WrongEventLoopError": (RuntimeError, None),
}
CLASSES = [getattr(rs_core.errors, name) for name in TREE]


def test_the_tree_lists_every_exported_class() -> None:
    assert sorted(TREE) == rs_core.errors.__all__


@pytest.mark.parametrize("cls", CLASSES)
def test_each_class_has_its_bases_and_default_rule(cls: type[ReactiveStreamsError]) -> None:
    built_in, rule = TREE[cls.__name__]
    assert issubclass(cls, ReactiveStreamsError)
    assert issubclass(cls, built_in)
    assert cls.rule == rule
    assert cls("what happened").rule == rule


def test_a_rule_given_to_the_constructor_wins_over_the_default_of_the_class() -> None:
    error = NullElementError("§1.9: subscribe(None)", rule="1.9")
    assert error.rule == "1.9"
    assert NullElementError.rule == "2.13"


def test_the_message_is_the_only_argument_and_the_text() -> None:
    error = ArgumentError("capacity must be > 0, got -1")
    assert error.args == ("capacity must be > 0, got -1",)
    assert str(error) == "capacity must be > 0, got -1"


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize(
    "duplicate",
    [
        copy.copy,
        copy.deepcopy,
        *(lambda e, p=p: pickle.loads(pickle.dumps(e, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1)),
    ],
)
def test_a_duplicate_keeps_class_message_rule_and_notes(cls: type[ReactiveStreamsError], duplicate: object) -> None:
    error = cls("what happened", rule="3.17")
    error.add_note("assembled at line 7")
    twin = duplicate(error)  # type: ignore[operator]
    assert type(twin) is cls
    assert twin is not error
    assert twin.args == ("what happened",)
    assert twin.rule == "3.17"
    assert twin.__notes__ == ["assembled at line 7"]


def test_a_duplicate_without_a_rule_of_its_own_keeps_the_default() -> None:
    assert pickle.loads(pickle.dumps(InvalidRequestError("§3.9"))).rule == "3.9"


def test_the_cause_is_kept_by_raise_from() -> None:
    cause = KeyError("k")
    with pytest.raises(AlreadySubscribedError) as caught:
        raise AlreadySubscribedError("§2.12: subscribed twice") from cause
    assert caught.value.__cause__ is cause


def test_the_python_package_exports_the_same_classes() -> None:
    assert reactivestreams.errors.__all__ == rs_core.errors.__all__
    for name in rs_core.errors.__all__:
        assert getattr(reactivestreams.errors, name) is getattr(rs_core.errors, name)
