"""What artifacts and operators look up: subjects by type, subscriptions, settings, and what they depend on."""

from typing import Any

import pytest

from reactivestreams import Stream, pipeline
from reactivestreams.engine import EngineStatusError, Mitigation
from reactivestreams.engine.settings import SETTINGS
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError
from reactivestreams.lifecycle import ArtifactKindError, ArtifactNotReadyError, UnknownArtifactError
from reactivestreams.subjects import Conversion, ConvertingSubject, ReplaySubject, SubjectTypeError, typed_subject
from rs_core.operators.python_operator import PythonStage
from rs_core.stream.tree_walk import nodes_with_paths
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.engine.hosted import Hosted


@pytest.fixture
def hosted() -> Any:
    hosted = Hosted()
    hosted.start()
    yield hosted
    hosted.engine.unload()


def watched(subject: Any) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    subject.subscribe(subscriber)
    return subscriber


# --- subjects and subscriptions ---------------------------------------------------------------------------------------


def test_elements_of_another_type_end_the_subscription_that_asked_for_a_type(hosted: Hosted) -> None:
    numbers = watched(hosted.engine.get_subject("in", sends=int))
    either = watched(hosted.engine.get_subject("in", sends=(int, float)))
    hosted.push(1, 2.5, 3)
    assert (numbers.elements, either.elements) == ([1], [1, 2.5, 3])
    assert isinstance(numbers.error, TypeError)
    assert "2.5 (float)" in str(numbers.error)
    hosted.engine.checkpoint()
    assert hosted.rows == [1, 3.5, 6.5]


@pytest.mark.parametrize("side", ["accepts", "sends"])
def test_type_that_cannot_be_checked_is_refused(hosted: Hosted, side: str) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"get_subject\('in', {side}='text'\): this subject checks classes"):
        hosted.engine.get_subject("in", **{side: "text"})


def test_subject_with_conversions_gives_each_use_its_type(hosted: Hosted) -> None:
    hosted.registry.register("prices")(
        lambda engine: ConvertingSubject(
            ReplaySubject(9), stored=int, conversions={str: Conversion(to_stored=int, from_stored=str)}
        )
    )
    hosted.engine.define("prices", "prices")
    hosted.engine.define("more", "totals", source="in", into="prices")
    hosted.push(1, 2)
    hosted.engine.checkpoint()
    hosted.crash()
    hosted.engine.start()
    texts = watched(hosted.engine.get_subject("prices", sends=str))
    stored = watched(hosted.engine.get_subject("prices"))
    numbers = watched(typed_subject(hosted.engine.get_subject("prices"), sends=int))
    hosted.settle()
    assert (texts.elements, stored.elements, numbers.elements) == (["1", "3"], [1, 3], [1, 3])
    with pytest.raises(SubjectTypeError, match=r"get_observable\(<class 'bytes'>\): this subject has"):
        hosted.engine.get_subject("prices", sends=bytes).bind(RecordingSubscriber())


class Pushing(PythonStage[Any, Any]):
    """Push each element into a subject that it looks up."""

    name = "engine-test/pushing"
    accepts: Any = int

    def on_next(self, element: Any) -> None:
        subject = self.context.execution_environment.get_subject("numbers", accepts=self.accepts)
        subject.create_observer().on_next(element)
        self.emit(element)


def test_operator_pushes_what_the_subject_was_taken_for(hosted: Hosted) -> None:
    hosted.registry.register("pushing")(lambda engine, source: engine.stream(source).lift(Pushing))
    hosted.engine.define("numbers", "subject")
    hosted.engine.define("pushing", "pushing", source="in")
    seen = watched(hosted.engine.get_subject("numbers"))
    with pytest.raises(EngineStatusError, match="would be part of no checkpoint"):
        hosted.engine.get_subject("numbers", accepts=int).create_observer()
    hosted.push(4, "five")
    assert seen.elements == [4]
    error = hosted.engine.find("pushing").error
    assert isinstance(error, SubjectTypeError)
    assert "'five' (str) was pushed into the subject 'numbers', which was taken with accepts=" in str(error)


def test_subscription_is_that_of_a_running_query(hosted: Hosted) -> None:
    names = [node.name for node, _ in nodes_with_paths(hosted.engine.get_subscription("totals"))]
    assert "rx://operators/scan" in names
    for other, kind in (("in", "get_subscription"), ("out", "get_subscription")):
        with pytest.raises(ArtifactKindError, match=rf"{kind}\('{other}'\): .*no subscription"):
            hosted.engine.get_subscription(other)
    for other in ("totals", "out"):
        with pytest.raises(ArtifactKindError, match=rf"get_subject\('{other}'\): .*no subject"):
            hosted.engine.get_subject(other)
    with pytest.raises(UnknownArtifactError, match="did you mean 'totals'"):
        hosted.engine.get_subscription("total")


def test_subscription_that_is_cancelled_stays_so_after_a_recovery(hosted: Hosted) -> None:
    hosted.push(1)
    hosted.engine.get_subscription("totals").dispose()
    hosted.push(2)
    hosted.engine.checkpoint()
    hosted.crash()
    hosted.engine.start()
    hosted.push(3)
    hosted.engine.checkpoint()
    assert (hosted.rows, hosted.engine.find("totals").status) == ([1], "ended")


def test_what_was_not_recovered_is_not_ready(hosted: Hosted) -> None:
    lives: list[int] = []

    def broken(engine: Any, source: str) -> Any:
        lives.append(1 // (1 - len(lives)))
        return engine.stream(source)

    hosted.registry.register("broken")(broken)
    hosted.engine.define("broken", "broken", source="in")
    hosted.crash(on_failure=lambda failure: Mitigation.IGNORE)
    hosted.engine.start()
    with pytest.raises(ArtifactNotReadyError, match="was not made yet"):
        hosted.engine.get_subscription("broken")


# --- what artifacts need ----------------------------------------------------------------------------------------------


class Needing(PythonStage[Any, Any]):
    """Look up a subject whose id no argument of the definition has."""

    name = "engine-test/needing"
    dependencies = ("numbers", None, "unknown")

    def on_next(self, element: Any) -> None:
        self.emit(element)


def test_what_an_operator_names_as_its_dependency_cannot_be_deleted(hosted: Hosted) -> None:
    hosted.registry.register("needing")(lambda engine, source: engine.stream(source).lift(Needing).map(str))
    hosted.engine.define("numbers", "subject")
    hosted.engine.define("needing", "needing", source="in")
    hosted.crash()
    hosted.engine.start()
    with pytest.raises(ArgumentError, match=r"delete\('numbers'\): 'needing' need it; delete those first"):
        hosted.engine.delete("numbers")
    hosted.engine.delete("needing")
    hosted.engine.delete("numbers")
    assert "numbers" not in {each.id for each in hosted.engine.artifacts()}


def test_operators_of_a_key_have_the_context_of_the_host_and_are_visited() -> None:
    read: list[Any] = []

    class OfKey(PythonStage[Any, Any]):
        name = "engine-test/of-key"
        dependencies = ("numbers",)

        def on_next(self, element: Any) -> None:
            context = self.context
            read.append((context.instance_id, context.try_get_element("shop/currency"), context.scheduler))
            assert context.execution_environment.get_subject("numbers") is not None
            self.emit(element)

        def unload(self) -> None:
            read.append("unloaded")

    hosted = Hosted(settings={"shop/currency": "EUR"})
    hosted.registry.register("keyed")(
        lambda engine, source: engine.stream(source).key_by(bool).through(pipeline().map(str).lift(OfKey))
    )
    hosted.start(
        lambda engine: (
            engine.define("in", "in"),
            engine.define("numbers", "subject"),
            engine.define("keyed", "keyed", source="in"),
        )
    )
    of_host = ("keyed", (True, "EUR"), None)
    hosted.push(0, 1)
    assert read == [of_host] * 2
    with pytest.raises(ArgumentError, match=r"delete\('numbers'\): 'keyed' need it; delete those first"):
        hosted.engine.delete("numbers")
    hosted.engine.checkpoint()
    hosted.crash()
    hosted.engine.start()
    hosted.push(1)
    hosted.engine.unload()
    assert read == [of_host] * 3 + ["unloaded"]


# --- settings ---------------------------------------------------------------------------------------------------------

LIST = "rx://operators/toList/settings/maxListSize"
DISTINCT = "rx://operators/distinct/settings/maxDistinctElements"
BUFFER = "rx://operators/buffer/settings/maxBufferSize"
OVERLAP = "rx://operators/buffer/settings/maxBufferCount"
WINDOWS = "rx://operators/window/settings/maxWindowCount"
GROUPS = "rx://operators/groupBy/settings/maxGroupCount"
INNER = "rx://operators/bind/settings/maxConcurrentInnerSubscriptionCount"


def with_settings(factory: Any, settings: dict[str, object], *elements: Any) -> Hosted:
    hosted = Hosted(settings=settings)
    hosted.registry.register("bounded")(factory)
    hosted.start(lambda engine: (engine.define("in", "in"), engine.define("bounded", "bounded", source="in")))
    hosted.push(*elements)
    return hosted


def identity(element: Any) -> Any:
    return element


def windows_that_stay(stream: Any) -> Any:
    """A window for each element."""
    return stream.window_toggle(stream, lambda _: Stream.never())


@pytest.mark.parametrize(
    ("setting", "add"),
    [
        (LIST, lambda stream: stream.through(pipeline().to_list())),
        (BUFFER, lambda stream: stream.split_when(lambda one, other: False)),
        (BUFFER, lambda stream: stream.buffer_until(lambda number: False)),
        (BUFFER, lambda stream: stream.buffer_while(bool)),
        (DISTINCT, lambda stream: stream.distinct()),
        (DISTINCT, lambda stream: stream.key_by(bool).distinct()),
        (GROUPS, lambda stream: stream.key_by(identity).scan(max, 0)),
        (GROUPS, lambda stream: stream.key_by(identity).count()),
        (GROUPS, lambda stream: stream.key_by(identity).take(1)),
        (GROUPS, lambda stream: stream.key_by(identity).buffer(2)),
        (GROUPS, lambda stream: stream.key_by(identity).reduce(max, 0)),
        (GROUPS, lambda stream: stream.key_by(identity).aggregate(n="count")),
        (GROUPS, lambda stream: stream.key_by(identity).distinct()),
        (GROUPS, lambda stream: stream.key_by(identity).through(pipeline().map(str))),
        (GROUPS, lambda stream: stream.group_by(identity).flat_map(identity)),
        (GROUPS, lambda stream: stream.group_by_until(identity, lambda _: Stream.never()).flat_map(identity)),
        (WINDOWS, lambda stream: windows_that_stay(stream).flat_map(identity)),
        (GROUPS, lambda stream: Stream.never().merge_with(stream.key_by(identity).scan(max, 0))),
    ],
)
def test_setting_bounds_what_an_operator_holds(setting: str, add: Any) -> None:
    def bounded(engine: Any, source: str) -> Any:
        return add(engine.stream(source))

    for bound, fails in ((3, False), (2, True)):
        hosted = with_settings(bounded, {setting: bound}, 1, 2, 3)
        assert isinstance(hosted.engine.find("bounded").error, CapacityError) == fails
        hosted.engine.unload()


@pytest.mark.parametrize(
    ("setting", "add"),
    [
        (BUFFER, lambda stream: stream.buffer(3)),
        (BUFFER, lambda stream: stream.map(identity).buffer_timeout(3, 1)),
        (BUFFER, lambda stream: stream.key_by(identity).buffer(3)),
        (OVERLAP, lambda stream: stream.buffer(5, 2)),
        (WINDOWS, lambda stream: stream.window(5, 2).flat_map(identity)),
    ],
)
def test_query_that_is_sure_to_exceed_a_setting_is_refused(setting: str, add: Any) -> None:
    def bounded(engine: Any, source: str) -> Any:
        return add(engine.stream(source))

    with_settings(bounded, {setting: 3}).engine.unload()
    with pytest.raises(ArgumentError, match=rf"needs 3 \(\w+=\d\), and the setting {setting} of the engine allows 2"):
        with_settings(bounded, {setting: 2})


@pytest.mark.parametrize(
    "add",
    [
        lambda stream: stream.buffer_when(Stream.never(), prefetch=1),
        lambda stream: stream.buffer_toggle([0], lambda _: Stream.never(), prefetch=1),
    ],
)
def test_list_that_waits_for_its_boundary_is_no_longer_than_the_setting(add: Any) -> None:
    def bounded(engine: Any, source: str) -> Any:
        return add(engine.stream(source)).map(identity)

    hosted = with_settings(bounded, {BUFFER: 2}, *range(1, 200))
    assert hosted.engine.find("in").node.figures().elements < 199
    hosted.engine.unload()


@pytest.mark.parametrize("method", ["flat_map", "flat_map_ordered"])
def test_more_inner_streams_than_the_setting_wait(method: str) -> None:
    made: list[int] = []

    def inner(number: int) -> Stream[int]:
        made.append(number)
        return Stream.never()

    def bounded(engine: Any, source: str) -> Any:
        return getattr(engine.stream(source), method)(inner)

    with_settings(bounded, {INNER: 2}, 1, 2, 3, 4).engine.unload()
    assert made == [1, 2]


def test_setting_below_which_a_query_stays_changes_nothing() -> None:
    hosted = with_settings(lambda engine, source: engine.stream(source).distinct(max_keys=2), {DISTINCT: 10}, 1, 2, 3)
    assert isinstance(hosted.engine.find("bounded").error, CapacityError)
    hosted.engine.checkpoint()
    hosted.crash(settings={})
    hosted.engine.start()  # the digest is that of what the factory builds
    hosted.engine.unload()


def test_operators_of_the_program_read_settings_from_their_context() -> None:
    read: list[Any] = []

    class Reading(PythonStage[Any, Any]):
        name = "engine-test/reading"

        def on_next(self, element: Any) -> None:
            read.append((self.context.try_get_element("shop/currency"), self.context.try_get_element("shop/other")))
            self.emit(element)

    hosted = with_settings(
        lambda engine, source: engine.stream(source).lift(Reading), {"shop/currency": "EUR", LIST: 5}, 1
    )
    assert read == [((True, "EUR"), (False, None))]
    hosted.engine.unload()


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({LIST: 0}, ArgumentError, "larger than zero for 'rx://operators/toList/settings/maxListSize', got 0"),
        ({LIST: "many"}, ArgumentTypeError, r"needs an integer for .*, got 'many' \(str\)"),
        ({LIST: True}, ArgumentTypeError, r"needs an integer for .*, got True \(bool\)"),
        ({7: 1}, ArgumentTypeError, "needs ids that are texts, got 7"),
        ({LIST[:-1]: 1}, ArgumentError, f"no operator has the setting '{LIST[:-1]}'; did you mean '{LIST}'"),
        ([LIST], ArgumentTypeError, r"needs a mapping of ids, got \["),
    ],
)
def test_setting_that_means_nothing_is_refused(settings: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Hosted(settings=settings)


def test_settings_name_parameters_that_their_operators_have() -> None:

    from reactivestreams import operators

    definitions = {each.id: each for each in vars(operators).values() if getattr(each, "id", "")}
    assert set(SETTINGS) == {LIST, DISTINCT, BUFFER, OVERLAP, WINDOWS, GROUPS, INNER}
    for setting in SETTINGS.values():
        for operator, parameter in setting.parameters.items():
            if operator in definitions:
                definition = definitions[operator]
                assert parameter in (definition.parameter_names())
