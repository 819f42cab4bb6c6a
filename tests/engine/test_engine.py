"""What is defined runs, can be found and deleted, and only as a program means it."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.engine import (
    Engine,
    EngineStatusError,
    EngineUnloadedError,
    FactoryRegistry,
    Ingress,
    IngressGapError,
    MemoryStore,
    PushInput,
    UnknownFactoryError,
)
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError, StateTypeError
from reactivestreams.lifecycle import ArtifactKindError, UnknownArtifactError
from reactivestreams.schedulers import ImmediateScheduler, LogicalScheduler, VirtualTimeScheduler, WorkerPool
from reactivestreams.schedulers.virtual_time import TICK
from tests.engine.hosted import Hosted, Written


@pytest.fixture
def hosted() -> Any:
    hosted = Hosted()
    hosted.start()
    yield hosted
    hosted.engine.unload()


def test_query_runs_from_its_ingress_to_its_egress(hosted: Hosted) -> None:
    hosted.push(1, 2, 3)
    assert hosted.rows == []
    hosted.engine.checkpoint()
    assert hosted.rows == [1, 3, 6]
    assert [(each.id, each.kind, each.status) for each in hosted.engine.artifacts()] == [
        ("in", "ingress", "running"),
        ("out", "egress", "running"),
        ("totals", "query", "running"),
    ]


def test_same_definition_again_changes_nothing(hosted: Hosted) -> None:
    before = hosted.engine.find("totals")
    hosted.define(hosted.engine)
    assert hosted.engine.find("totals") is before


def test_other_definition_of_an_id_is_refused(hosted: Hosted) -> None:
    with pytest.raises(
        ArgumentError, match=r"defined as totals\(\{'source': 'in'\}, into='out'\), .*delete\('totals'\)"
    ):
        hosted.engine.define("totals", "totals", source="in")


def test_artifact_that_is_not_there_is_named_with_what_is_near(hosted: Hosted) -> None:
    with pytest.raises(UnknownArtifactError, match="nothing is defined under this id; did you mean 'totals'"):
        hosted.engine.find("total")
    with pytest.raises(UnknownArtifactError, match="defined is in, out, totals"):
        hosted.engine.find("xyz")


def test_factory_that_is_not_registered_is_refused(hosted: Hosted) -> None:
    with pytest.raises(UnknownFactoryError, match=r"no factory 'x' is registered; .*Registered are: in, out"):
        hosted.engine.define("x", "x")


def test_factory_must_name_what_it_takes(hosted: Hosted) -> None:
    hosted.registry.register("sly")(lambda engine: engine.stream("in"))
    with pytest.raises(UnknownArtifactError, match="the arguments do not have this id; pass it to define"):
        hosted.engine.define("sly", "sly")
    assert "sly" not in {each.id for each in hosted.engine.artifacts()}


def test_ids_in_containers_are_dependencies(hosted: Hosted) -> None:
    hosted.registry.register("many")(lambda engine, inputs: engine.stream(inputs["left"][0]))
    assert hosted.engine.define("many", "many", inputs={"left": ["in"]}).dependencies == ("in",)


@pytest.mark.parametrize(("taken", "kind"), [("totals", "query"), ("out", "egress")])
def test_nothing_comes_from_queries_and_egresses(hosted: Hosted, taken: str, kind: str) -> None:
    with pytest.raises(ArtifactKindError, match=f"nothing can be taken from this {kind}"):
        hosted.engine.define("more", "totals", source=taken)


def test_elements_go_into_subjects_and_egresses_only(hosted: Hosted) -> None:
    with pytest.raises(ArtifactKindError, match="this is a query; name a subject or an egress"):
        hosted.engine.define("more", "totals", source="in", into="totals")
    with pytest.raises(ArgumentError, match="it is a subject, and only the elements of a query go somewhere"):
        hosted.engine.define("more", "subject", into="out")


def test_two_queries_into_one_egress_are_refused(hosted: Hosted) -> None:
    with pytest.raises(ArgumentError, match="the elements of 'totals' go there already; merge the two in one query"):
        hosted.engine.define("more", "totals", source="in", into="out")
    hosted.engine.delete("totals")
    hosted.engine.define("more", "totals", source="in", into="out")


def test_value_that_cannot_be_hosted_is_refused(hosted: Hosted) -> None:
    hosted.registry.register("seven")(lambda engine: 7)
    with pytest.raises(ArgumentTypeError, match=r"'seven' returned 7 \(int\) for 'x'; return a Stream"):
        hosted.engine.define("x", "seven")


def test_argument_that_is_no_state_is_refused(hosted: Hosted) -> None:
    with pytest.raises(StateTypeError):
        hosted.engine.define("x", "totals", source=object())


@pytest.mark.parametrize(("name", "error"), [("", ArgumentError), (None, ArgumentTypeError), (7, ArgumentTypeError)])
def test_ids_are_texts(hosted: Hosted, name: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"define\(id\) needs a text"):
        hosted.engine.define(name, "subject")


def test_source_that_begins_anew_is_refused_when_it_is_defined(hosted: Hosted) -> None:
    hosted.registry.register("anew")(lambda engine: Stream.from_iterable(iter([1])))
    with pytest.raises(StateError, match="its recovery is 'none'; take its elements through an Ingress or a PushInput"):
        hosted.engine.define("x", "anew")


def test_scheduler_that_is_not_held_with_the_engine_is_refused(hosted: Hosted) -> None:
    with WorkerPool(workers=1) as pool:
        other = LogicalScheduler(pool)
        hosted.registry.register("away")(lambda engine, source: engine.stream(source).observe_on(other))
        with pytest.raises(ArgumentError, match=r"observe_on assembled at .*which is not paused with the engine"):
            hosted.engine.define("x", "away", source="in")


def test_deleted_artifact_is_gone_from_the_store(hosted: Hosted) -> None:
    hosted.push(1)
    hosted.engine.checkpoint()
    with pytest.raises(ArgumentError, match="'totals' need it; delete those first"):
        hosted.engine.delete("in")
    hosted.engine.delete("totals")
    hosted.engine.delete("in")
    engine = hosted.crash()
    engine.start()
    assert [each.id for each in engine.artifacts()] == ["out"]
    assert hosted.store.state_of("totals") is None


def test_failure_of_a_query_ends_its_egress_and_nothing_else(hosted: Hosted) -> None:
    hosted.registry.register("bad")(lambda engine, source: engine.stream(source).map(lambda n: 1 // n))
    hosted.engine.define("other out", "out", max_rows=10)
    hosted.engine.define("bad", "bad", source="in", into="other out")
    hosted.push(1, 0, 2)
    hosted.engine.checkpoint()
    assert hosted.engine.find("other out").status == "ended"
    assert isinstance(hosted.engine.find("other out").node.error, ZeroDivisionError)
    hosted.push(5)
    hosted.engine.checkpoint()
    assert hosted.engine.find("out").status == "running"


def test_failure_of_a_query_whose_elements_go_nowhere_is_kept(hosted: Hosted) -> None:
    hosted.registry.register("bad")(lambda engine, source: engine.stream(source).map(lambda n: 1 // n))
    bad = hosted.engine.define("bad", "bad", source="in")
    hosted.push(0)
    assert (bad.status, type(bad.error)) == ("ended", ZeroDivisionError)


def test_egress_that_is_full_lets_its_query_wait_until_a_checkpoint(hosted: Hosted) -> None:
    hosted.engine.define("small", "out", max_rows=4)
    hosted.engine.define("again", "totals", source="in", into="small")
    hosted.push(*range(20))
    node = hosted.engine.find("small").node
    assert len(node._rows) == 4
    for _ in range(8):
        hosted.engine.checkpoint()
        hosted.settle()
    hosted.engine.checkpoint()
    assert node._held() == 0
    assert sorted(hosted.batches) == list(range(1, len(hosted.batches) + 1))


def test_gap_in_an_ingress_stops_it_and_says_why(hosted: Hosted) -> None:
    class Gap(Ingress):
        poll_interval = TICK

        def open(self, position: int, bookmark: Any) -> None:
            pass

        def read(self, max_elements: int) -> list[tuple[int, Any]]:
            return [(1, "a"), (3, "c")]

    hosted.registry.register("gap")(lambda engine: Gap())
    hosted.engine.define("gap", "gap")
    hosted.engine.define("taker", "totals", source="gap")
    hosted.settle()
    assert hosted.engine.find("gap").status == "failed"
    assert isinstance(hosted.engine.find("gap").error, IngressGapError)


def test_subject_can_be_watched_from_outside_and_not_pushed(hosted: Hosted) -> None:
    seen: list[int] = []
    subject = hosted.engine.get_subject("in")
    subscription = Stream.from_publisher(subject).subscribe(on_next=seen.append)
    hosted.push(1, 2)
    assert seen == [1, 2]
    with pytest.raises(EngineStatusError, match="would be part of no checkpoint; define a PushInput"):
        subject.create_observer()
    with pytest.raises(EngineStatusError, match=r"which its engine owns; call engine.delete"):
        subject.dispose()
    with pytest.raises(ArtifactKindError):
        hosted.engine.get_subject("totals")
    subscription.cancel()


def test_push_needs_a_push_input(hosted: Hosted) -> None:
    with pytest.raises(ArtifactKindError, match="this is no PushInput"):
        hosted.engine.push("totals", 1)
    with pytest.raises(EngineStatusError, match="belongs to no engine"):
        PushInput().push([1])


def test_several_definitions_begin_at_one_moment(hosted: Hosted) -> None:
    with hosted.engine.held():
        hosted.engine.define("late", "totals", source="in")
        hosted.engine.push("in", 1)
        hosted.settle()
        with hosted.engine.held():
            pass
        hosted.settle()
        assert hosted.engine.find("in").node.position == 0
    hosted.settle()
    assert hosted.engine.find("in").node.position == 1


def test_definitions_of_the_program_are_made_in_each_life_before_anything_flows() -> None:
    hosted = Hosted()
    lives: list[int] = []

    def define(engine: Engine) -> None:
        lives.append(len(engine.artifacts()))
        hosted.define(engine)

    hosted.arguments["define"] = define
    hosted.engine = hosted.make()
    hosted.engine.start()
    hosted.push(1)
    hosted.engine.checkpoint()
    hosted.crash().start()
    hosted.push(2)
    hosted.engine.checkpoint()
    assert (hosted.rows, lives) == ([1, 3], [0, 3])
    hosted.engine.unload()


def test_real_threads_and_an_event_loop_run_the_same() -> None:
    registry = Hosted().registry
    batches: dict[int, list[Any]] = {}
    registry.register("written")(lambda engine: Written(batches, 100))

    def define(engine: Engine) -> None:
        engine.define("in", "in")
        engine.define("out", "written")
        engine.define("totals", "totals", source="in", into="out")

    async def run(numbers: range) -> None:
        async with Engine(store, registry=registry, define=define, checkpoint_every=timedelta(hours=1)) as engine:
            await asyncio.to_thread(engine.push, "in", *numbers)
            while engine.find("totals").has_changed or engine.find("in").node.position < numbers[-1]:
                await engine.checkpoint_async()

    store = MemoryStore()
    asyncio.run(run(range(1, 4)))
    asyncio.run(run(range(4, 6)))
    assert [row for number in sorted(batches) for row in batches[number]] == [1, 3, 6, 10, 15]


def test_thread_of_the_engine_takes_checkpoints() -> None:
    hosted = Hosted()
    engine = Engine(hosted.store, registry=hosted.registry, checkpoint_every=timedelta(milliseconds=1))
    with engine:
        hosted.define(engine)
        engine.push("in", 1, 2)
        while hosted.rows != [1, 3]:
            engine.request_checkpoint()
    assert engine.status.value == "unloaded"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"store": 7}, ArgumentTypeError, r"needs a Store, got 7 \(int\); pass e.g. SqliteStore"),
        ({"scheduler": ImmediateScheduler()}, ArgumentTypeError, "needs a LogicalScheduler with a thread"),
        ({"checkpoint_every": 5}, ArgumentTypeError, r"needs a timedelta, got 5 \(int\)"),
        ({"checkpoint_every": timedelta()}, ArgumentError, "needs a time above 0"),
        ({"scheduler": VirtualTimeScheduler()}, ArgumentError, "in virtual time, which only moves when it is moved"),
        ({"kept_checkpoints": 0}, ArgumentError, "from 1 to"),
        ({"max_failed_checkpoints": 0}, ArgumentError, "from 1 to"),
        ({"on_failure": 7}, ArgumentTypeError, "needs a callable, got 7"),
        ({"define": 7}, ArgumentTypeError, "needs a callable, got 7"),
        ({"accept_changes": "totals"}, ArgumentTypeError, r"got the text 'totals'; pass \['totals'\]"),
        ({"pause_timeout_seconds": -1}, ArgumentError, "needs 0 or more, got -1"),
    ],
)
def test_arguments_are_checked_when_it_is_made(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Engine(**{"store": MemoryStore(), **arguments})


def test_engine_that_was_not_started_says_so() -> None:
    engine = Engine(MemoryStore(), checkpoint_every=None, registry=FactoryRegistry())
    with pytest.raises(EngineStatusError, match=r"the engine is created; start it, or use it in a with statement"):
        engine.checkpoint()
    engine.unload()
    with pytest.raises(EngineUnloadedError):
        engine.start()


def test_subject_between_queries_is_recovered() -> None:
    hosted = Hosted()
    hosted.engine.start()
    hosted.engine.define("in", "in")
    hosted.engine.define("middle", "subject")
    hosted.engine.define("out", "out")
    hosted.engine.define("second", "totals", source="middle", into="out")
    hosted.engine.define("first", "totals", source="in", into="middle")
    hosted.push(1, 1)
    hosted.engine.checkpoint()
    hosted.crash().start()
    hosted.push(1)
    hosted.engine.checkpoint()
    assert hosted.rows == [1, 3, 6]
    hosted.engine.unload()
