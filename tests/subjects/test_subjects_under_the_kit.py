"""Each subject passes the kit, as a publisher, as a subscriber, and as what is between them."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams.subjects import (
    BroadcastSubject,
    ReplaySubject,
    SimpleSubject,
    UnicastSubject,
    buffer,
    drop_slow,
    error_slow,
    lockstep,
)
from reactivestreams.tck import ProcessorVerification, run
from tests.tck.streams.settings import ALL_AT_ONCE, settings
from tests.tck.subjects import IdleSubscription


class SubjectVerification(ProcessorVerification):
    """Judge a kind of subject."""

    def __init__(self, create: Callable[[], Any], **hooks: Any) -> None:
        self._create = create
        self._hooks = hooks

    def create_identity_processor(self, buffer_size: int) -> Any:
        return self._create()

    def create_failed_publisher(self) -> Any:
        subject = self._create()
        if not isinstance(subject, SimpleSubject):
            subject.on_subscribe(IdleSubscription())
            subject.on_error(RuntimeError("the upstream has failed"))
            return subject
        subject.dispose()  # it forgets an end
        return subject

    def create_element(self, element: int) -> Any:
        return element

    def max_supported_subscribers(self) -> int:
        subscribers: int = self._hooks.get("subscribers", super().max_supported_subscribers())
        return subscribers

    def does_coordinated_emission(self) -> bool:
        return bool(self._hooks.get("is_coordinated", False))

    def delays_errors(self) -> bool:
        return bool(self._hooks.get("delays", True))  # they wait behind the elements that came before

    def replays_elements(self) -> bool:
        return bool(self._hooks.get("replays", False))

    def cancels_upstream(self) -> bool:
        return bool(self._hooks.get("cancels", False))  # others may come


# As the standard's kit expects a processor to be.
STRICT: dict[str, Any] = {"auto_cancel": True, "delay_error": False}
STRICT_HOOKS = {"cancels": True, "delays": False}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("create", "hooks"),
    [
        pytest.param(lambda: BroadcastSubject(policy=lockstep()), {"is_coordinated": True}, id="broadcast, lockstep"),
        pytest.param(lambda: BroadcastSubject(policy=error_slow()), {"subscribers": 1}, id="broadcast, error_slow"),
        pytest.param(lambda: BroadcastSubject(policy=drop_slow()), {"subscribers": 1}, id="broadcast, drop_slow"),
        pytest.param(lambda: BroadcastSubject(policy=buffer()), {}, id="broadcast, buffer"),
        pytest.param(lambda: SimpleSubject(policy=lockstep()), {"is_coordinated": True}, id="simple, lockstep"),
        pytest.param(UnicastSubject, {"subscribers": 1, "cancels": True}, id="unicast"),
        pytest.param(lambda: ReplaySubject(100), {"replays": True}, id="replay"),
        pytest.param(
            lambda: BroadcastSubject(policy=lockstep(), **STRICT),
            {"is_coordinated": True, **STRICT_HOOKS},
            id="broadcast, lockstep, cancels and passes errors at once",
        ),
        pytest.param(
            lambda: BroadcastSubject(policy=buffer(), **STRICT),
            STRICT_HOOKS,
            id="broadcast, buffer, cancels and passes errors at once",
        ),
        pytest.param(
            lambda: SimpleSubject(policy=lockstep(), **STRICT),
            {"is_coordinated": True, **STRICT_HOOKS},
            id="simple, lockstep, cancels and passes errors at once",
        ),
        pytest.param(
            lambda: ReplaySubject(100, **STRICT),
            {"replays": True, **STRICT_HOOKS},
            id="replay, cancels and passes errors at once",
        ),
    ],
)
def test_subject_passes_the_kit(create: Callable[[], Any], hooks: dict[str, Any]) -> None:
    # §4.1: both contracts, and §4.2.
    report = run(SubjectVerification(create, **hooks), settings(), parallel=ALL_AT_ONCE)
    assert [verdict.render() for verdict in report.failed] == []
    assert report.is_success
