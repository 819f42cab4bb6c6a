"""The steps of a protocol, counted over the lives of an engine, and the fault that one of them gets."""

import functools
import sys
import sysconfig
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from inspect import unwrap
from pathlib import Path
from types import FrameType, new_class
from typing import Any, TypeVar

import reactivestreams

__all__ = ["Call", "Death", "Faults", "OutageError", "derived"]

W = TypeVar("W")


class Death(BaseException):
    """The process is gone: nothing that belonged to it runs any more."""


class OutageError(OSError):
    """A call that failed, in a process that lives on."""


@dataclass(slots=True)
class Call:
    """One step, as it was made.

    Attributes:
        number: Counted from 1, over all lives.
        life: In which life, from 1.
        name: What was called.
        arguments: With what.
        result: What it returned.
        error: What it raised by itself.
        fault: The fault that it got, or an empty text.
        lines: The lines of the program that it ran, as file and number, where they were recorded.
    """

    number: int
    life: int
    name: str
    arguments: tuple[Any, ...]
    result: Any = None
    error: BaseException | None = None
    fault: str = ""
    lines: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])


@dataclass
class Faults:
    """Lets one step go wrong.

    Attributes:
        at: Which step, counted from 1 over all lives; 0: none.
        how: `before`: death instead of it; `after`: death when it is done; `fails`: it raises and has done nothing;
            `lies`: it has done everything and raises; `inside`: death before one of the lines that it runs.
        line: With `inside`: before which of the lines that the step runs the process dies, from 0.
        tick: In which round of its first life the process dies; 0: in none.
        second: How many steps after the first fault the process dies, once more if that was a death; 0: it does not.
        traced: The part whose lines are recorded, and of which `inside` is a fault; empty: none.
        log: The steps that were made.
        on_call: Called with each step that is done.
        deaths: How often the process died.
    """

    at: int = 0
    how: str = "before"
    line: int = 0
    tick: int = 0
    second: int = 0
    traced: str = ""
    log: list[Call] = field(default_factory=list[Call])
    on_call: Callable[[Call], object] | None = None
    deaths: int = 0
    is_dead: bool = False
    is_off: bool = False
    _running: list[tuple[Any, Call]] = field(default_factory=list[tuple[Any, Call]])
    _own: dict[str, bool] = field(default_factory=dict[str, bool])

    @property
    def calls(self) -> int:
        """How many steps were made."""
        return len(self.log)

    @property
    def life(self) -> int:
        """The number of the life, from 1."""
        return self.deaths + 1

    # --- what is watched --------------------------------------------------------------------------------------------

    def watch(self, watched: W, part: str, steps: Iterable[str]) -> W:
        """Have these methods of an object counted as steps, and return it; its class is replaced by one derived of it.

        What an object calls of itself is no step.

        Args:
            watched: The object.
            part: What it is, for the names of its steps: `ingress`, `egress` or `store`.
            steps: The names of the methods.
        """
        kind: type[Any] = type(watched)
        members = {name: self._stepping(f"{part}.{name}", getattr(kind, name)) for name in steps}
        try:
            watched.__class__ = derived(kind, members)
        except TypeError:  # it, or its class, cannot be changed
            raise TypeError(
                f"the crash kit cannot watch {watched!r} ({kind.__name__}), whose class is compiled or refuses to be "
                f"derived from; wrap it in a plain class that has the methods"
            ) from None
        return watched

    def _stepping(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def step(watched: Any, *arguments: Any) -> Any:
            if self.is_off or any(running is watched for running, _ in self._running):
                return function(watched, *arguments)
            return self._call(name, functools.partial(function, watched), *arguments, of=watched)

        return step

    @contextmanager
    def switched_off(self) -> Generator[None, None, None]:
        """Let calls pass uncounted inside of a `with` statement, also when the process is dead."""
        before, self.is_off = self.is_off, True
        try:
            yield
        finally:
            self.is_off = before

    # --- a step -----------------------------------------------------------------------------------------------------

    def _call(self, name: str, function: Callable[..., Any], *arguments: Any, of: object) -> Any:
        if self.is_dead:
            raise Death
        call = Call(len(self.log) + 1, self.life, name, arguments)
        self.log.append(call)
        call.fault = self.how if call.number == self.at else ""
        if call.fault in ("before", "fails"):
            self._strike(call)
        self._running.append((of, call))
        try:
            with self._tracing(call):
                call.result = function(*arguments)
        except BaseException as error:
            call.error = (
                error if isinstance(error, Exception) else Death()
            )  # without the frames, and what is open there
            if call.fault in ("after", "lies") and not self.is_dead:
                self._strike(call)
            raise
        finally:
            self._running.pop()
        if self.on_call is not None:
            self.on_call(call)
        if call.fault in ("after", "lies"):
            self._strike(call)
        return call.result

    def _strike(self, call: Call) -> None:
        if call.fault in ("fails", "lies"):
            self.next_fault()
            raise OutageError(f"the crash kit lets {call.name} (step {call.number}) raise")
        self.die()
        raise Death

    def die(self) -> None:
        """Let the process be dead from now on."""
        self.is_dead = True
        self.deaths += 1
        self.at = self.tick = 0

    def live_again(self) -> None:
        """Begin the next life."""
        self.is_dead = False
        self.next_fault()

    def next_fault(self) -> None:
        """Plan the second fault, where there is one."""
        if self.second:
            self.at, self.how, self.second = self.calls + self.second, "before", 0

    # --- lines ------------------------------------------------------------------------------------------------------

    @contextmanager
    def _tracing(self, call: Call) -> Generator[None, None, None]:
        before = sys.gettrace()
        if not call.name.startswith(f"{self.traced}.") or before == self._trace_call:
            yield
            return
        sys.settrace(self._trace_call)
        try:
            yield
        finally:
            sys.settrace(before)

    def _trace_call(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        name = frame.f_code.co_filename
        is_own = self._own.get(name)
        if is_own is None:
            is_own = self._own[name] = _is_of_program(name) or name in self._files_of_watched()
        return self._trace_line if is_own else None

    def _files_of_watched(self) -> Collection[str]:
        return {
            code.co_filename
            for watched, call in self._running
            if call.name.startswith(f"{self.traced}.")
            for kind in type(watched).__mro__[1:]
            if kind.__module__ not in _BASES
            for member in vars(kind).values()
            if (code := getattr(unwrap(member), "__code__", None)) is not None
        }

    def _trace_line(self, frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "line":
            line = (frame.f_code.co_filename, frame.f_lineno)
            for _, call in self._running:
                if not call.name.startswith(f"{self.traced}."):
                    continue
                call.lines.append(line)
                if call.fault == "inside" and len(call.lines) == self.line + 1:
                    self.die()
                    raise Death
        return self._trace_line


def derived(kind: type[W], members: Mapping[str, Any]) -> type[W]:
    """Return a class that differs from another one in some methods, and whose objects can be those of that one."""
    names = {"__slots__": (), "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    return new_class(kind.__name__, (kind,), exec_body=lambda namespace: namespace.update(names | dict(members)))


_BASES = {"reactivestreams.engine.egress", "reactivestreams.engine.ingress", "reactivestreams.engine.store"}
"""The modules of the bases, which the steps of every program run."""

_OTHERS = tuple(
    str(Path(folder).resolve())
    for folder in (
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
        *reactivestreams.__path__,
    )
)


def _is_of_program(name: str) -> bool:
    """Return whether a file is neither of the interpreter, nor installed, nor of this package."""
    return not name.startswith("<") and not str(Path(name).resolve()).startswith(_OTHERS)
