"""An engine says what holds on each path when the process dies, and refuses what cannot be had."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.engine import (
    AppendedFile,
    Engine,
    FactoryRegistry,
    Guarantee,
    IdempotentEgress,
    JsonLinesFolder,
    MemoryStore,
    Mitigation,
    PartGuarantee,
    PushInput,
    SqliteStore,
    SqliteTable,
    Store,
)
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.lifecycle import UnknownArtifactError
from reactivestreams.schedulers import VirtualTime, VirtualTimeScheduler
from reactivestreams.subjects import BroadcastSubject, drop_slow, lockstep


class Mail(IdempotentEgress):
    guarantee = PartGuarantee("egress", Guarantee.AT_LEAST_ONCE, "a mail is sent again", "take an egress with keys")

    def write(self, batch_id: int, rows: Sequence[Any]) -> None:
        pass


registry = FactoryRegistry()
registry.register("pushed")(lambda engine: PushInput())
registry.register("log")(lambda engine, path: AppendedFile(path))
registry.register("mail")(lambda engine: Mail())
registry.register("folder")(lambda engine, path: JsonLinesFolder(path))
registry.register("table")(lambda engine: SqliteTable("rows", ["row"]))
registry.register("same")(lambda engine, source: engine.stream(source).map(abs))
registry.register("both")(lambda engine, one, other: engine.stream(one).merge_with(engine.stream(other)))
registry.register("printed")(lambda engine, source: engine.stream(source).do(print))
registry.register("lossy")(lambda engine: BroadcastSubject(policy=drop_slow()))
registry.register("between")(lambda engine: BroadcastSubject(policy=lockstep()))


def engine_over(store: Store, **arguments: Any) -> Engine:
    return Engine(
        store, scheduler=VirtualTimeScheduler(VirtualTime()), checkpoint_every=None, registry=registry, **arguments
    )


@pytest.fixture
def engine(tmp_path: Path) -> Any:
    with engine_over(SqliteStore(tmp_path / "state.db")) as engine:
        engine.define("pushed", "pushed")
        engine.define("log", "log", path=str(tmp_path / "numbers.log"))
        yield engine


def test_each_path_has_its_parts_with_reasons(engine: Engine) -> None:
    engine.define("table", "table")
    engine.define("rows", "same", source="pushed", into="table")
    engine.define("ends", "same", source="pushed")
    explanation = engine.explain("pushed")
    assert explanation.guarantee is Guarantee.EXACTLY_ONCE
    assert [path.ids for path in explanation.paths] == [("pushed", "rows", "table"), ("pushed", "ends")]
    assert str(engine.explain("table")).splitlines() == [
        "table: exactly-once",
        "pushed -> rows -> table: exactly-once",
        "  pushed: exactly-once, since what was pushed is in the store when push() returns, and is read from there",
        "  rows: exactly-once, since its state is saved at the same moment as that of all others",
        "  table: exactly-once, since a batch is written in the transaction that stores its checkpoint",
        "  store: exactly-once, since a checkpoint that is stored survives the process",
    ]


def test_paths_join_and_part_at_subjects_and_queries(engine: Engine, tmp_path: Path) -> None:
    engine.define("between", "between")
    engine.define("both", "both", one="pushed", other="log", into="between")
    engine.define("folder", "folder", path=str(tmp_path / "results"))
    engine.define("one", "same", source="between", into="folder")
    engine.define("two", "same", source="between")
    assert {path.ids for path in engine.explain("between").paths} == {
        (source, "both", "between", *way) for source in ("log", "pushed") for way in (("one", "folder"), ("two",))
    }
    assert [path.ids for path in engine.explain("two").paths] == [
        ("log", "both", "between", "two"),
        ("pushed", "both", "between", "two"),
    ]


def test_weakest_part_decides_and_is_named(engine: Engine) -> None:
    engine.define("mail", "mail")
    engine.define("rows", "same", source="pushed", into="mail")
    explanation = engine.explain("rows")
    assert (explanation.guarantee, explanation.weakest) == (
        Guarantee.AT_LEAST_ONCE,
        PartGuarantee("mail", Guarantee.AT_LEAST_ONCE, "a mail is sent again", "take an egress with keys"),
    )


@pytest.mark.parametrize("wanted", ["exactly-once", Guarantee.EXACTLY_ONCE, "at-most-once"])
def test_guarantee_that_cannot_be_had_is_refused_when_it_is_defined(engine: Engine, wanted: Any) -> None:
    engine.define("mail", "mail")
    with pytest.raises(
        ArgumentError, match="was requested, but mail gives at-least-once: a mail is sent again; take an egress with k"
    ):
        engine.define("rows", "same", source="pushed", into="mail", guarantee=wanted)
    assert "rows" not in {each.id for each in engine.artifacts()}
    engine.define("rows", "same", source="pushed", into="mail", guarantee="at-least-once")
    with pytest.raises(ArgumentError, match="was requested"):
        engine.define("rows", "same", source="pushed", into="mail", guarantee=wanted)


def test_subject_that_drops_gives_at_most_once(engine: Engine) -> None:
    engine.define("lossy", "lossy")
    engine.define("rows", "same", source="pushed", into="lossy")
    engine.define("ends", "same", source="lossy", guarantee="at-most-once")
    assert engine.explain("ends").guarantee is Guarantee.AT_MOST_ONCE
    with pytest.raises(ArgumentError, match=r"lossy gives at-most-once: its policy drop_slow .*; make it with policy="):
        engine.define("more", "same", source="lossy", guarantee="at-least-once")
    engine.define("mail", "mail")
    engine.define("mailed", "same", source="lossy", into="mail")
    assert engine.explain("mailed").guarantee is Guarantee.NONE


def test_side_effects_of_a_query_are_at_least_once(engine: Engine) -> None:
    with pytest.raises(ArgumentError, match=r"noisy gives at-least-once: after a crash rx://operators/do\(print"):
        engine.define("noisy", "printed", source="pushed", guarantee="exactly-once")
    engine.define("noisy", "printed", source="pushed", guarantee="at-least-once")


def test_store_in_memory_gives_nothing() -> None:
    with engine_over(MemoryStore()) as engine:
        with pytest.raises(ArgumentError, match=r"store gives no guarantee: .*; take a store that survives it"):
            engine.define("pushed", "pushed", guarantee="at-most-once")
        engine.define("pushed", "pushed", guarantee="no guarantee")


def test_artifact_that_was_not_recovered_has_no_guarantee(tmp_path: Path) -> None:
    gone = FactoryRegistry()
    gone.register("pushed")(lambda engine: PushInput())
    with engine_over(SqliteStore(tmp_path / "state.db")) as engine:
        engine.define("pushed", "pushed")
        engine.define("rows", "same", source="pushed")
    with Engine(
        SqliteStore(tmp_path / "state.db"),
        scheduler=VirtualTimeScheduler(VirtualTime()),
        checkpoint_every=None,
        registry=gone,
        on_failure=lambda failure: Mitigation.IGNORE,
    ) as engine:
        assert "rows: no guarantee, since it was not recovered (UnknownFactoryError(" in str(engine.explain("rows"))


@pytest.mark.parametrize(
    ("wanted", "error", "message"),
    [
        ("exactly once", ArgumentError, "guarantee must be one of .*; did you mean 'exactly-once'?"),
        (1, ArgumentTypeError, "guarantee must be a str, got 1; pass one of"),
    ],
)
def test_guarantee_that_is_none_is_refused(engine: Engine, wanted: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        engine.define("rows", "same", source="pushed", guarantee=wanted)


def test_unknown_artifact_is_refused(engine: Engine) -> None:
    with pytest.raises(UnknownArtifactError, match=r"did you mean 'pushed'?"):
        engine.explain("pushd")
