"""What operators are given: the context, its trace, the environment."""

import logging
from types import SimpleNamespace
from typing import Any

import pytest

from reactivestreams import ImmediateScheduler, Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.lifecycle import (
    NOP,
    ArtifactKindError,
    ArtifactNotReadyError,
    DefaultOperatorContext,
    ExecutionEnvironment,
    LocalExecutionEnvironment,
    OperatorContext,
    OperatorTrace,
    UnknownArtifactError,
    initialize_tree,
)
from rs_core.operators.python_operator import PythonStage
from tests.contracts.recording_subscriber import RecordingSubscriber

SCHEDULER = ImmediateScheduler()


def test_context_returns_what_it_was_given() -> None:
    environment = LocalExecutionEnvironment()
    trace = OperatorTrace("rx://other")
    service = object()
    context = DefaultOperatorContext(
        "rx://query", SCHEDULER, reactive_service=service, trace=trace, execution_environment=environment
    )
    assert context.instance_id == "rx://query"
    assert context.scheduler is SCHEDULER
    assert context.reactive_service is service
    assert context.trace is trace
    assert context.execution_environment is environment
    assert isinstance(context, OperatorContext)


def test_context_without_more_has_a_trace_and_stands_alone() -> None:
    context = DefaultOperatorContext("rx://query", SCHEDULER)
    assert (context.trace.operator_path, context.execution_environment) == ("rx://query", None)
    assert context.try_get_element("rx://settings/limit") == (False, None)


def test_context_finds_the_elements_of_the_host() -> None:
    elements: dict[str, Any] = {"rx://settings/limit": 7, "rx://settings/nothing": None}
    context = DefaultOperatorContext("rx://query", SCHEDULER, elements=elements)
    elements.clear()  # it keeps its own
    assert context.try_get_element("rx://settings/limit") == (True, 7)
    assert context.try_get_element("rx://settings/nothing") == (True, None)
    assert context.try_get_element("rx://settings/other") == (False, None)


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ((None, SCHEDULER), ArgumentTypeError, r"\(instance_id\) needs a text, got None"),
        ((7, SCHEDULER), ArgumentTypeError, r"\(instance_id\) needs a text, got 7"),
        (("", SCHEDULER), ArgumentError, r"\(instance_id\) needs a text that is not empty"),
        (("rx://query", None), ArgumentTypeError, r"\(scheduler\) needs a scheduler, got None"),
        (("rx://query", "here"), ArgumentTypeError, r"\(scheduler\) needs a scheduler, got 'here'"),
    ],
)
def test_context_without_an_id_or_a_scheduler_is_refused(arguments: Any, error: type, said: str) -> None:
    with pytest.raises(error, match=said):
        DefaultOperatorContext(*arguments)


def test_object_with_the_members_of_a_context_is_one() -> None:
    class Own:
        instance_id = "own"
        scheduler = SCHEDULER
        reactive_service = property(lambda self: None)  # a None in the class would say "not implemented"
        trace = property(lambda self: None)
        execution_environment = property(lambda self: None)

        def try_get_element(self, element_id: str, /) -> tuple[bool, Any]:
            return False, None

    assert isinstance(Own(), OperatorContext)
    assert not isinstance(SimpleNamespace(), OperatorContext)


def test_operators_see_the_context_from_the_start_on() -> None:
    seen: list[Any] = []

    class Seeing(PythonStage):
        name = "test/seeing"

        def on_start(self) -> None:
            assert self.context is context
            seen.append(self.context.instance_id)

        def on_next(self, element: Any) -> None:
            seen.append(self.context.try_get_element("limit"))
            self.emit(element)

    context = DefaultOperatorContext("rx://query", SCHEDULER, elements={"limit": 3})
    subscriber = RecordingSubscriber(first_request=1)
    for initialize in (lambda handle: handle.initialize(context), lambda handle: initialize_tree(handle, context)):
        seen.clear()
        initialize(Stream.just(1).lift(Seeing).bind(RecordingSubscriber(first_request=1)))
        assert seen == ["rx://query", (True, 3)]
    handle = Stream.just(1).lift(Seeing).bind(subscriber)
    assert handle.context is None


def test_operators_without_a_host_have_no_context() -> None:
    seen: list[Any] = []

    class Seeing(PythonStage):
        name = "test/seeing"

        def on_next(self, element: Any) -> None:
            seen.append(self.context)
            self.emit(element)

    assert (Stream.just(1).lift(Seeing).to_list(), seen) == ([1], [None])


# --- the trace ------------------------------------------------------------------------------------------------------


def logged(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str, str]]:
    return [(record.name, record.levelname, record.getMessage()) for record in caplog.records]


def test_trace_names_the_operator_in_front_of_the_message(caplog: pytest.LogCaptureFixture) -> None:
    trace = OperatorTrace("rx://query").at(SimpleNamespace(name="rx://operators/map"))
    with caplog.at_level(logging.INFO, logger="reactivestreams.operators"):
        trace.info("late by %d of %d", 3, 5)
        trace.warning("100 % late")
        trace.debug("not said")
    assert logged(caplog) == [
        ("reactivestreams.operators", "INFO", "[rx://query > rx://operators/map] late by 3 of 5"),
        ("reactivestreams.operators", "WARNING", "[rx://query > rx://operators/map] 100 % late"),
    ]


def test_trace_logs_the_path_as_attributes_and_keeps_those_of_the_caller(caplog: pytest.LogCaptureFixture) -> None:
    OperatorTrace("rx://query").at(SimpleNamespace(name="x")).error("no", extra={"attempt": 2})
    (record,) = caplog.records
    attributes = record.__dict__
    assert (attributes["instance_id"], attributes["operator_path"], attributes["attempt"]) == (
        "rx://query",
        "rx://query > x",
        2,
    )


def test_trace_names_the_line_of_who_logs(caplog: pytest.LogCaptureFixture) -> None:
    trace = OperatorTrace("rx://query")
    trace.error("by its short name")
    trace.log(logging.ERROR, "by its long one")
    try:
        raise LookupError("why")
    except LookupError:
        trace.exception("with its reason")
    assert {(record.filename, record.funcName) for record in caplog.records} == {
        ("test_context.py", "test_trace_names_the_line_of_who_logs")
    }
    assert caplog.records[-1].exc_info is not None


def test_path_with_a_percent_sign_is_no_format(caplog: pytest.LogCaptureFixture) -> None:
    trace = OperatorTrace("rx://query?share=50%s")
    trace.error("late by %d", 3)
    trace.error("late")
    assert [record.getMessage() for record in caplog.records] == [
        "[rx://query?share=50%s] late by 3",
        "[rx://query?share=50%s] late",
    ]


def test_trace_uses_the_logger_that_it_is_given(caplog: pytest.LogCaptureFixture) -> None:
    class Nameless:
        name = ""

    OperatorTrace("rx://query", logger=logging.getLogger("test.own")).at(Nameless()).error("no")
    assert logged(caplog) == [("test.own", "ERROR", "[rx://query > Nameless] no")]


def test_stage_logs_with_the_trace_of_its_context(caplog: pytest.LogCaptureFixture) -> None:
    class Telling(PythonStage):
        name = "test/telling"

        def on_next(self, element: Any) -> None:
            self.context.trace.at(self).warning("got %r", element)
            self.emit(element)

    handle = Stream.just(7).lift(Telling).bind(RecordingSubscriber(first_request=1))
    handle.initialize(DefaultOperatorContext("rx://query", SCHEDULER))
    assert [record.getMessage() for record in caplog.records] == ["[rx://query > test/telling] got 7"]


# --- the environment ------------------------------------------------------------------------------------------------


class Subject:
    def create_observer(self) -> object:
        return object()

    def subscribe(self, observer: object) -> object:
        return NOP

    def dispose(self) -> None:
        pass

    def accept(self, visitor: object) -> None:
        pass


class UntypedSubject:
    def get_observer(self, kind: type) -> object:
        return object()

    def get_observable(self, kind: type) -> object:
        return object()

    def dispose(self) -> None:
        pass


@pytest.fixture
def environment() -> LocalExecutionEnvironment:
    return LocalExecutionEnvironment()


def test_environment_finds_what_was_registered_by_its_kind(environment: LocalExecutionEnvironment) -> None:
    typed, untyped = Subject(), UntypedSubject()
    environment.register("rx://subject", typed)
    environment.register("rx://untyped", untyped)
    environment.register("rx://subscription", NOP)
    assert environment.get_subject("rx://subject") is typed
    assert environment.get_subject("rx://untyped") is untyped
    assert environment.get_subscription("rx://subscription") is NOP


@pytest.mark.parametrize("get", ["get_subject", "get_subscription"])
def test_environment_says_what_it_does_not_know(environment: LocalExecutionEnvironment, get: str) -> None:
    with pytest.raises(UnknownArtifactError, match=rf"{get}\('rx://no'\): nothing is registered") as unknown:
        getattr(environment, get)("rx://no")
    assert isinstance(unknown.value, ValueError | LookupError)
    with pytest.raises(ArgumentTypeError, match=rf"{get}\(artifact_id\) needs a text, got None"):
        getattr(environment, get)(None)


def test_environment_says_what_is_of_another_kind(environment: LocalExecutionEnvironment) -> None:
    environment.register("rx://subject", Subject())
    environment.register("rx://subscription", NOP)
    with pytest.raises(ArtifactKindError, match=r"get_subject\('rx://subscription'\): NOP .* no subject"):
        environment.get_subject("rx://subscription")
    with pytest.raises(ArtifactKindError, match=r"get_subscription\('rx://subject'\): .* no subscription"):
        environment.get_subscription("rx://subject")


@pytest.mark.parametrize("get", ["get_subject", "get_subscription"])
def test_environment_says_what_was_not_made_yet(environment: LocalExecutionEnvironment, get: str) -> None:
    environment.register("rx://later")
    with pytest.raises(ArtifactNotReadyError, match=rf"{get}\('rx://later'\): this is registered and was not made"):
        getattr(environment, get)("rx://later")
    environment.register("rx://later", NOP)
    assert environment.get_subscription("rx://later") is NOP


def test_environment_keeps_one_artifact_for_each_id(environment: LocalExecutionEnvironment) -> None:
    environment.register("rx://query", NOP)
    with pytest.raises(ArgumentError, match="NOP is registered under this id"):
        environment.register("rx://query", Subject())
    environment.unregister("rx://query")
    environment.unregister("rx://query")
    with pytest.raises(UnknownArtifactError):
        environment.get_subscription("rx://query")
    assert isinstance(environment, ExecutionEnvironment)
