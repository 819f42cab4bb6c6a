"""The ledger of one subscriber: demand against elements, order and overlap of signals; it runs in every check."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck.kit.edition import Edition
from reactivestreams.tck.kit.element_text import safe_repr

if TYPE_CHECKING:
    from reactivestreams.tck.kit.check_environment import CheckEnvironment

__all__ = ["Ledger"]

TERMINAL = ("on_error", "on_complete")


class Ledger:
    """Observe the signals of one subscription and report each violation of the protocol to the environment.

    Any thread may call; a probe calls `enter` when a signal begins and `leave` when it returns. It checks that elements
    never exceed the sum of all requests (§1.1), which nothing reduces; signals do not overlap (§1.3; a nested call on
    the same thread is not an overlap); `on_subscribe` comes first (§1.9) and once (§2.12); nothing follows a terminal
    signal (§1.7); no signal carries None (§2.13).

    Args:
        environment: Gets the violations.
        name: The name of the subscriber in messages.
        subscriptions_allowed: How many times `on_subscribe` may be called.
        report: Called with the rule and the message of a violation; by default it is recorded in the environment.
    """

    def __init__(
        self,
        environment: "CheckEnvironment",
        name: str,
        *,
        subscriptions_allowed: int = 1,
        report: Callable[[str, str], None] | None = None,
    ) -> None:
        self.name = name
        self.requested: int = 0
        self.delivered: int = 0
        self.subscriptions: int = 0
        self.signals_after_cancel: int = 0
        self.signals_after_end: int = 0
        self.is_cancelled: bool = False
        self.end: str = ""
        self._environment = environment
        self._allowed = subscriptions_allowed
        self._report = environment.violation if report is None else report
        self._inside: list[tuple[int, str, str]] = []
        self._lock = threading.RLock()  # acquired twice for each signal: the condition itself is much slower to acquire
        self._changed = threading.Condition(self._lock)

    # --- requests of the subscriber ---

    def requesting(self, n: int) -> None:
        """Record a request, before it is made."""
        self._environment.log.signal(f"{self.name}'s subscription", "request", n)
        with self._lock:
            if n > 0 and not self.is_cancelled:
                self.requested += n

    def cancelling(self) -> None:
        """Record a cancellation, before it is made."""
        self._environment.log.signal(f"{self.name}'s subscription", "cancel")
        with self._lock:
            self.is_cancelled = True

    @property
    def outstanding(self) -> int:
        """Elements requested and not delivered."""
        with self._lock:
            return self.requested - self.delivered

    @property
    def is_unbounded(self) -> bool:
        """Whether the demand counts as unbounded (§3.17)."""
        with self._lock:
            return self.requested >= MAX_DEMAND

    # --- signals of the publisher ---

    def enter(self, signal: str, *argument: object) -> None:
        """Record that a signal begins, with its argument if it has one."""
        self._environment.log.signal(self.name, signal, *argument)
        thread = threading.current_thread()
        me = threading.get_ident()
        self._environment.threads_seen[me] = thread
        with self._lock:
            breaches = self._breaches(me, thread.name, signal, argument)
            self._inside.append((me, thread.name, signal))
            self._changed.notify_all()
        for rule, message in breaches:
            self._report(rule, message)

    def leave(self) -> None:
        """Record that the last signal that this thread began has returned."""
        me = threading.get_ident()
        with self._lock:
            for index in reversed(range(len(self._inside))):
                if self._inside[index][0] == me:
                    del self._inside[index]
                    break
            self._changed.notify_all()

    def is_inside(self) -> bool:
        """Return whether the calling thread is inside a signal."""
        me = threading.get_ident()
        with self._lock:
            return any(owner == me for owner, _, _ in self._inside)

    @property
    def changed(self) -> threading.Condition:
        """The condition that is notified when a signal begins or returns."""
        return self._changed

    @property
    def signals_running(self) -> tuple[str, ...]:
        """The signals that have begun and not returned, oldest first."""
        with self._lock:
            return tuple(signal for _, _, signal in self._inside)

    def _breaches(self, me: int, thread: str, signal: str, argument: tuple[object, ...]) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        other = next((entry for entry in self._inside if entry[0] != me), None) if self._inside else None
        if other is not None:
            message = (
                f"Illegal concurrent access detected (entering critical section)! {thread} emitted {signal} signal, "
                f"before {other[1]} finished its {other[2]} signal."
            )
            found.append(("1.3", message))
        if signal == "on_subscribe":
            self.subscriptions += 1
            if self.subscriptions > self._allowed:
                found.append(("2.12", "Subscriber::on_subscribe called on an already-subscribed Subscriber"))
        elif self.subscriptions == 0 and not self._may_be_rejected_bare(signal):
            found.append(("1.9", f"{_call(signal, argument)} called before Subscriber::on_subscribe"))
        if self.end:
            self.signals_after_end += 1
            found.append(("1.7", f"{_call(signal, argument)} called after {self.end}"))
        if argument and argument[0] is None:
            found.append(("2.13", f"{signal}(None): a signal never carries None"))
        elif signal == "on_error" and not isinstance(argument[0], BaseException):
            found.append(("1.4", f"{_call(signal, argument)}: its argument has to be an instance of an exception"))
        if signal == "on_next":
            self.delivered += 1
            if self.delivered > self.requested:
                what = f"{_call(signal, argument)} is element number {self.delivered}"
                found.append(("1.1", f"{what}, but only {self.requested} were requested"))
        if self.is_cancelled:
            self.signals_after_cancel += 1
        if signal in TERMINAL and not self.end:
            self.end = signal
        return found

    def _may_be_rejected_bare(self, signal: str) -> bool:
        # The release candidate rejects by on_error in place of on_subscribe.
        return signal == "on_error" and self._environment.edition is Edition.RC1


def _call(signal: str, argument: tuple[object, ...]) -> str:
    return f"Subscriber::{signal}({safe_repr(argument[0]) if argument and signal != 'on_subscribe' else ''})"
