"""Where what hooks emitted waits until it is requested, and the end behind it."""

from collections import deque
from typing import Any, Generic, TypeVar

from reactivestreams.errors import ArgumentTypeError, CapacityError, NullElementError, StateError
from reactivestreams.spec import MAX_DEMAND
from rs_core.demand import Demand

__all__ = ["Outbox"]

T = TypeVar("T")


class Outbox(Generic[T]):
    """Keep emitted elements and the end behind them, and count what is requested.

    Bound: as many elements as the owner's `capacity` says.

    Args:
        owner: Who emits, with `capacity`.

    Threads: `request` by any, also beside all others, which are the drainer's.
    """

    def __init__(self, owner: Any) -> None:
        self._owner = owner
        self._demand = Demand()
        self._announced = 0  # demand that `new_demand` told of and that was not yet served
        self._elements: deque[T] = deque()
        self._end: tuple[Exception | None] | None = None

    def __len__(self) -> int:
        return len(self._elements)

    @property
    def is_ending(self) -> bool:
        """Whether there is an end, behind what waits."""
        return self._end is not None

    @property
    def error(self) -> Exception | None:
        """What the end is; None: completion, or no end yet."""
        return None if self._end is None else self._end[0]

    @property
    def wanted(self) -> int:
        """How much demand there is beyond what waits; 2**63 - 1 means any number."""
        demand = self._demand.value
        return demand if demand == MAX_DEMAND else max(0, demand - len(self._elements))

    def request(self, n: int) -> None:
        """Add to the demand (§3.8).

        Raises:
            InvalidRequestError: n is not positive (§3.9).
            InvalidRequestTypeError: n is no integer.
        """
        self._demand.add(n)

    def new_demand(self) -> int:
        """Return, once, how much demand came since this was called last; 0: none; 2**63 - 1 means any number."""
        demand = self._demand.value
        fresh = demand - self._announced
        if fresh <= 0:
            return 0
        self._announced = demand
        return demand if demand == MAX_DEMAND else fresh

    def put(self, element: T) -> None:
        """Keep an element.

        Raises:
            NullElementError: It is None (§2.13).
            StateError: There is an end already (§1.7).
            CapacityError: As many wait as may.
        """
        if element is None:
            raise NullElementError(
                f"§2.13: emit(None) of {self._owner!r}: None cannot be an element; send a value of your own for it"
            )
        if self._end is not None:
            raise StateError(f"§1.7: emit() of {self._owner!r} after complete() or fail(); emit first", rule="1.7")
        if len(self._elements) >= self._owner.capacity:
            raise CapacityError(
                f"{self._owner!r} emitted {element!r} while {self._owner.capacity} elements wait for demand; "
                f"emit fewer in one hook, or raise the class attribute capacity"
            )
        self._elements.append(element)

    def complete(self) -> None:
        """End with completion, unless there is an end."""
        self._end = self._end or (None,)

    def fail(self, error: Exception) -> None:
        """End with an error, unless there is an end.

        Raises:
            ArgumentTypeError: It is no exception.
        """
        if not isinstance(error, Exception):
            raise ArgumentTypeError(
                f"fail(error) of {self._owner!r} needs an exception instance, got {error!r}; "
                f"pass e.g. ValueError('why')"
            )
        self._end = self._end or (error,)

    def fail_at_once(self, error: Exception) -> None:
        """Forget what waits, and end with an error instead of any other end."""
        self._elements.clear()
        self._end = (error,)

    def take(self) -> T | None:
        """Return the next element, if it is requested; None: there is none, or no demand."""
        if not self._elements or not self._demand.value:
            return None
        if not self._demand.is_unbounded:
            self._demand.consume(1)
            self._announced -= 1
        return self._elements.popleft()

    def clear(self) -> None:
        """Forget all elements."""
        self._elements.clear()

    def state(self) -> tuple[list[T], tuple[Exception | None] | None]:
        """Return what is to be saved: the elements, and the end."""
        return list(self._elements), self._end

    def load(self, elements: list[T], end: tuple[Any, ...] | None) -> None:
        """Take what `state` returned.

        Raises:
            StateError: It is something else.
        """
        is_end = end is None or (len(end) == 1 and isinstance(end[0], Exception | None))
        if any(element is None for element in elements) or not is_end:
            raise StateError(
                f"{self._owner!r} cannot load {elements!r} as emitted elements with {end!r} as the end; "
                f"load an older checkpoint, or drop the state of this operator"
            )
        self._elements = deque(elements)
        self._end = end
