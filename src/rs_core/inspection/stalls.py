"""Why a stream stands still: rules that look at what its nodes say, and name who waits for whom, and the remedy.

Each rule knows one cause, and looks at one node. A stream may have several causes, or none that a rule knows; then what
is left to look at is the table of `explain`.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

from rs_core.inspection.report import RunReport, StageReport, explain, inspected
from rs_core.stream.description import Assembly
from rs_core.stream.subscription import Stage, root_below

__all__ = ["Stall", "diagnose", "note_stalls"]

SHOWN_NODES = 40
"""How many lines of the table a note of an error has at most."""


@dataclass(frozen=True, slots=True)
class Stall:
    """Why a node stands still.

    Attributes:
        operator: The id of the operator or source; of an end what it is.
        assembly: Where in the user's code it was added; None where that is not known.
        cause: Who waits for whom.
        remedy: What to do.
        stage: The place of the node among the stages of the report.
    """

    operator: str
    assembly: Assembly | None
    cause: str
    remedy: str
    stage: int

    def to_dict(self) -> dict[str, Any]:
        """Return it as values of JSON."""
        assembly = self.assembly
        return {
            "operator": self.operator,
            "file": None if assembly is None else assembly.file,
            "line": None if assembly is None else assembly.line,
            "cause": self.cause,
            "remedy": self.remedy,
            "stage": self.stage,
        }

    def __str__(self) -> str:
        place = self.operator if self.assembly is None else f"{self.operator}, assembled at {self.assembly}"
        return f"{place}: {self.cause}; {self.remedy}"


def diagnose(run: Any) -> tuple[Stall, ...]:
    """Return why a running stream stands still, as far as rules know it; from its end to its sources.

    Args:
        run: A `RunReport`, or what `explain` takes.

    Raises:
        ArgumentTypeError: It is no running stream.

    Threads: as for `explain`.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.subscriber import DefaultSubscriber
        >>> handle = Stream.never().bind(DefaultSubscriber())
        >>> handle.initialize()
        >>> handle.request(1)
        >>> print(diagnose(handle)[0].cause)
        it sends nothing and never ends
    """
    report = run if isinstance(run, RunReport) else explain(run)
    found = [
        Stall(stage.operator, stage.assembly, *told, place)
        for place, stage in enumerate(report.stages)
        if not stage.is_terminated and (told := _of_stage(stage)) is not None
    ]
    return tuple(found or _of_whole(report))


def note_stalls(error: BaseException, run: Any) -> None:
    """Add to an error why a stream stands still, and the table of its nodes; what fails here is left out."""
    try:
        report = explain(run)
        lines = [str(stall) for stall in diagnose(report)]
        table = str(report).splitlines()
        if len(table) > SHOWN_NODES:
            table[SHOWN_NODES:] = [f"... and {len(table) - SHOWN_NODES} more nodes"]
        error.add_note("\n".join([*(lines or ["no rule knows why it stood still"]), "when it stood still:", *table]))
    except Exception:  # the error itself matters more, and says what happened
        return


# --- one node --------------------------------------------------------------------------------------------------------

Told = tuple[str, str]
"""Cause and remedy."""


def _of_stage(stage: StageReport) -> Told | None:
    return next((told for rule in _RULES if (told := rule(stage)) is not None), None)


def _scheduler_of(stage: StageReport) -> tuple[Any, dict[str, Any]]:
    """Return the scheduler for which a node waits, and what that says of itself."""
    if stage.waiting_for not in ("scheduler", "time"):
        return None, {}
    scheduler = stage.facts.get("clock" if stage.waiting_for == "time" else "scheduler")
    return scheduler, inspected(scheduler) or {}


def _is_paused(stage: StageReport) -> Told | None:
    if stage.waiting_for == "resume":
        return "it was paused, and nobody has resumed it", "call resume() of it"
    _scheduler, facts = _scheduler_of(stage)
    if facts.get("status") not in ("paused", "pausing"):
        return None
    return (
        f"it waits for its scheduler {facts['name']!r}, which is paused",
        "call continue_() of the scheduler, or release() if hold() has paused it",
    )


def _is_on_disposed_scheduler(stage: StageReport) -> Told | None:
    _scheduler, facts = _scheduler_of(stage)
    if facts.get("status") != "disposed":
        return None
    return (
        f"it waits for its scheduler {facts['name']!r}, which was disposed",
        "dispose a scheduler after the streams on it have ended",
    )


def _waits_for_loop(stage: StageReport) -> Told | None:
    scheduler, facts = _scheduler_of(stage)
    runs = facts.get("loop_runs")
    if scheduler is None and stage.waiting_for == "scheduler":
        runs = stage.facts.get("loops_run")
    if runs is not False:
        return None
    return (
        "it waits for a turn of an event loop that does not run",
        (
            "run the loop meanwhile, e.g. in another thread, or end the stream in it with the method that is awaited, "
            "such as to_list_async()"
        ),
    )


def _waits_in_virtual_time(stage: StageReport) -> Told | None:
    _scheduler, facts = _scheduler_of(stage)
    if not facts.get("is_virtual"):
        return None
    return (
        f"it waits for the virtual time of {facts['name']!r}, which nobody advances",
        "call start() or advance_to() of the clock, or use a scheduler with real time",
    )


def _waits_for_busy_worker(stage: StageReport) -> Told | None:
    _scheduler, facts = _scheduler_of(stage)
    threads: list[int] = facts.get("threads", [])
    if stage.waiting_for != "scheduler" or not threads or len(threads) < facts["width"]:
        return None
    full = "its queue is full, and " if stage.capacity is not None and stage.buffered == stage.capacity else ""
    frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]
    for thread in threads:
        at, is_blocking = _user_frame(frames.get(thread))
        if is_blocking:
            return (
                (
                    f"{full}it waits for its scheduler {facts['name']!r}, whose own worker waits in a blocking "
                    f"operation at {at}"
                ),
                "return the stream to flat_map() instead of blocking in a callback, or give it another scheduler",
            )
    at, _ = _user_frame(frames.get(threads[0]))
    return (
        f"{full}it waits for its scheduler {facts['name']!r}, whose worker is at {at}",
        "let that call return, or give the stream a scheduler of its own",
    )


def _user_frame(frame: FrameType | None) -> tuple[str, bool]:
    """Return where in the user's code a thread is, and whether it waits there in a terminal operation of ours."""
    is_blocking = False
    while frame is not None:
        name: str = frame.f_globals.get("__name__", "")
        if not (name.startswith(("reactivestreams.", "rs_core.")) or name == "threading"):
            code = frame.f_code
            return f"{code.co_filename}:{frame.f_lineno} in {code.co_qualname}", is_blocking
        is_blocking = is_blocking or name == "reactivestreams.stream.terminal_methods"
        frame = frame.f_back
    return "an unknown place", is_blocking


def _keeps_back_demand(stage: StageReport) -> Told | None:
    if not stage.facts.get("is_paused") or stage.waiting_for != "elements":
        return None
    return (
        "the latest element of its pauser was true, so it requests nothing",
        "have the pauser send an element that is false, or complete",
    )


def _has_full_groups(stage: StageReport) -> Told | None:
    full = stage.facts.get("full_groups")
    if not full:
        return None
    noun = stage.facts.get("noun", "group")
    key, is_taken = next((each for each in full if not each[1]), full[0])
    if is_taken:
        return (
            (
                f"it holds an element for {noun} {key!r}, whose queue is full: the subscriber of the {noun} has not "
                f"requested more"
            ),
            f"request the elements of each {noun}, or filter out its keys before",
        )
    return (
        f"it holds an element for {noun} {key!r}, whose queue is full: nobody has subscribed to that {noun}",
        f"subscribe to each {noun}, as flat_map() does, with a concurrency of at least as many as there are",
    )


def _has_lazy_sibling(stage: StageReport) -> Told | None:
    subject = stage.facts.get("subject")
    if subject is None or stage.waiting_for != "elements" or not stage.facts.get("is_lockstep"):
        return None
    sources = subject.sources()
    for number, source in enumerate(sources, 1):
        facts = source.inspect()
        if facts.get("requested") == 0 and not facts["is_terminated"] and not facts.get("buffered"):
            return (
                (
                    f"its subject waits for the slowest of its subscribers: subscriber {number} of {len(sources)}, "
                    f"{_described(source)}, has requested nothing"
                ),
                (
                    "request elements there or cancel it, or make the subject with a policy that does not wait for the "
                    "slowest, such as buffer() or drop_slow()"
                ),
            )
    return None


def _described(source: Any) -> str:
    """Return what the end of a node's stream is, also where that is the input of another stream, and where it is."""
    root = root_below(source)
    while root is not None:
        facts = root.inspect()
        stage = getattr(facts.get("subscriber"), "stage", None)
        if not isinstance(stage, Stage):  # the subscriber is no input of another stream
            return f"{facts.get('operator')} of the stream with {StageReport('', source.inspect(), 0).place}"
        source = stage
        root = root_below(source)
    return "which is ending"


def _is_full(stage: StageReport) -> Told | None:
    if stage.waiting_for != "demand" or stage.buffered is None or stage.capacity is None:
        return None
    if stage.buffered < stage.capacity:
        return None
    return (
        f"its queue is full ({stage.buffered} of {stage.capacity}), and nothing below it has requested more",
        "request more elements in the subscriber: request(n) in on_subscribe, and again when they were processed",
    )


def _has_waiting_inputs(stage: StageReport) -> Told | None:
    waiting = stage.facts.get("inputs_that_wait")
    if not waiting or stage.waiting_for != "demand":
        return None
    return (
        (
            f"{waiting} of its {stage.facts['inputs']} inputs have {stage.buffered} elements, and nothing below has "
            f"requested any, so nothing more is requested of them"
        ),
        "request more elements in the subscriber: request(n) in on_subscribe, and again when they were processed",
    )


def _never_sends(stage: StageReport) -> Told | None:
    if stage.operator != "rx://sources/never" or stage.waiting_for != "elements":
        return None
    return "it sends nothing and never ends", "end it with take_until() or timeout(), or use another source"


def _forgot_complete(stage: StageReport) -> Told | None:
    if stage.waiting_for != "elements" or stage.facts.get("has_input_ended") is not False:
        return None
    if stage.facts.get("subject") is not None:
        return (
            "all its elements were taken, and nobody has sent another one to its subject or ended it",
            "call on_next(), and in the end on_complete() or on_error(), of the subject",
        )
    if stage.operator != "rx://sources/create" or stage.buffered:
        return None
    return (
        "all that its callback has emitted was taken, and nobody has called complete() or fail() of the emitter",
        "call complete() after the last element",
    )


def _repeats(stage: StageReport) -> Told | None:
    if not stage.facts.get("repeats") or stage.waiting_for != "time":
        return None
    return "it sends again after each period and never ends", "bound it with take() or take_for()"


def _waits_outside(stage: StageReport) -> Told | None:
    told: Told | None = stage.facts.get("waits_outside")
    return told


def _was_not_started(stage: StageReport) -> Told | None:
    if stage.waiting_for != "start":
        return None
    return "it was not started", "call initialize() of what bind() returned"


_RULES: tuple[Callable[[StageReport], Told | None], ...] = (
    _was_not_started,
    _waits_outside,
    _is_paused,
    _is_on_disposed_scheduler,
    _waits_in_virtual_time,
    _waits_for_loop,
    _waits_for_busy_worker,
    _keeps_back_demand,
    _has_full_groups,
    _has_lazy_sibling,
    _is_full,
    _has_waiting_inputs,
    _never_sends,
    _forgot_complete,
    _repeats,
)


# --- the whole -------------------------------------------------------------------------------------------------------


def _of_whole(report: RunReport) -> list[Stall]:
    """Return what is left to say where no node stands still for a reason of its own."""
    stages = [(place, stage) for place, stage in enumerate(report.stages) if not stage.is_terminated]
    if not stages:
        return []
    busy = [(place, stage) for place, stage in stages if stage.is_running]
    if busy:
        place, stage = busy[-1]
        return [Stall(stage.operator, stage.assembly, *_of_busy(stage), place)]
    nearest = next((stage for _, stage in stages if stage.waiting_for in ("demand", "elements")), None)
    if nearest is not None and nearest.waiting_for == "demand":
        place, end = stages[0]
        return [
            Stall(
                end.operator,
                end.assembly,
                f"it has requested no more elements of {nearest.place}",
                "call request(n) of the subscription, in on_subscribe and after the elements were processed",
                place,
            )
        ]
    place, last = stages[-1]
    if last.waiting_for == "elements":
        return [
            Stall(
                last.operator,
                last.assembly,
                f"{_amount(last.requested)} are requested of it, and it has sent none of them and no end",
                "look why what sends them, such as the publisher or another thread, does not go on",
                place,
            )
        ]
    return []


def _of_busy(stage: StageReport) -> Told:
    threads: list[int] = (inspected(stage.facts.get("scheduler")) or {}).get("threads", [])
    if len(threads) != 1:  # nobody knows which thread it is
        return (
            "it is running: it sends elements, or a function of its stream has not returned",
            "bound the source, e.g. with take(), or look at what its functions wait for",
        )
    at, is_blocking = _user_frame(sys._current_frames().get(threads[0]))  # pyright: ignore[reportPrivateUsage]
    if is_blocking:
        return (
            f"it is running, and its worker waits in a blocking operation at {at}",
            "return the stream to flat_map() instead of blocking in a callback",
        )
    return (
        f"it is running: it sends elements, or a function of its stream has not returned; its worker is at {at}",
        "bound the source, e.g. with take(), or look at what that call waits for",
    )


def _amount(requested: int | None) -> str:
    return "elements" if requested is None or requested >= 2**62 else f"{requested} elements"
