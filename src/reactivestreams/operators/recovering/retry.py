"""retry: run the stream again when it fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.errors import ArgumentError
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.recovering.retry_policy import RetryPolicy, is_foreign_policy, policy_run
from reactivestreams.schedulers.delays import scheduler_for_delays
from rs_core.operators.sequence import RetryStage


class Retry(OperatorDefinition):
    """Pass on the elements of the stream, and subscribe to it anew when it fails.

    Elements that came before the error are not taken back: those of the next attempt come after them.

    Args:
        times: How many further attempts there may be, 1 or more; or a `RetryPolicy` with delays, jitter and a budget;
            or anything with the callables `stop`, `wait` and `retry` of tenacity, such as its `Retrying`, of which
            these three are used.
        when: Called with the error; what it returns is true if another attempt may follow. None is for any error. It
            goes with a number or `for_ever`; a policy has one of its own.
        for_ever: True sets no limit to the attempts, in place of `times`.

    Demand: what was requested and not yet delivered is requested of the attempt at hand, at most 128 elements at a
        time.
    Errors: that of the last attempt is passed on, and so is one for which the policy has no further attempt; an
        exception of a function of the policy takes its place, with it as the context. A SchedulerDisposedError, where
        the scheduler is disposed while an attempt waits.
    State: how many attempts have failed, what the policy counts, when the next attempt begins and the last error if it
        waits, and what waits of the present one; version 1.1.0.0, reads 1.0.0.0. Jitter is drawn anew.
    Threads: functions of the policy run, and each attempt begins, in the thread that drains the stream. Delays are
        waited for on the scheduler of the host; without a host on the asyncio loop that runs in this thread, or else on
        a scheduler that such streams share, in whose thread the attempt begins then.
    Rules: §1.1, §1.4, §1.10.
    Elsewhere: Reactor `retry`, `retryWhen`; RxJava `retry`; reactivex `retry`.

    Example:
        >>> from reactivestreams import Stream
        >>> answers = iter([0, 0, 5])
        >>> Stream.just(10).map(lambda n: n // next(answers)).retry(2).to_list()
        [2]
    """

    id = "rx://operators/retry"
    method = "retry"
    stateful = True

    @staticmethod
    def parameters(
        times: int | RetryPolicy | Any | None = None,
        *,
        when: Callable[[Exception], object] | None = None,
        for_ever: bool = False,
    ) -> Checked[T]:
        """Return the policy."""
        if isinstance(times, RetryPolicy) or is_foreign_policy(times):
            if when is not None or for_ever is not False:
                raise ArgumentError(
                    f"retry(times) was given the policy {times!r:.200}, and besides "
                    f"{'when' if when is not None else 'for_ever'}; state it in the policy"
                )
            return Checked((times,))
        if times is None and for_ever is not True:
            raise ArgumentError(
                "retry(times) needs the number of further attempts, got None; pass a number, or for_ever=True to set "
                "no limit"
            )
        if times is not None and for_ever is not False:
            raise ArgumentError(f"retry() needs times or for_ever, got both: {times!r} and {for_ever!r}; leave out one")
        if times is not None:
            times = checked_count(times, operator="retry", name="times", at_least=1)
        if when is not None:
            checked_callable(when, operator="retry", name="when")
        return Checked((RetryPolicy(times=times, for_ever=for_ever, when=when),))

    @staticmethod
    def stage(policy: Any) -> RetryStage:
        """Return a new live stage."""
        return RetryStage(DEFAULT_PREFETCH, policy_run(policy), scheduler_for_delays)

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        (policy,) = parameters
        if not isinstance(policy, RetryPolicy) or policy != RetryPolicy(
            times=policy.times, for_ever=policy.for_ever, when=policy.when
        ):
            return f"retry({show(policy)})"
        chosen = "" if policy.when is None else f", when={show(policy.when)}"
        return f"retry({'for_ever=True' if policy.times is None else show(policy.times)}{chosen})"
