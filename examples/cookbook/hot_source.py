"""A price changes faster than a screen can draw: the newest one waits, those in between are dropped and counted.

Whoever cannot wait needs a policy: `on_backpressure_latest` for a screen, `on_backpressure_buffer` for orders,
`..._drop` for samples, `..._batch` for a database. A subject never waits for its subscribers; the operator behind it
never fails.

Prints:
    drawn: [0, 1000]
    dropped: 999
"""

from reactivestreams import BaseSubscriber
from reactivestreams.subjects import BroadcastSubject

dropped: list[int] = []


class Screen(BaseSubscriber[int]):
    """Draws one price, and requests the next one when it has time again."""

    def __init__(self) -> None:
        self.drawn: list[int] = []

    def hook_on_subscribe(self) -> None:
        self.request(1)

    def hook_on_next(self, price: int) -> None:
        self.drawn.append(price)


prices: BroadcastSubject[int] = BroadcastSubject()
screen = Screen()
prices.on_backpressure_latest(on_dropped=dropped.append).subscribe(screen)
for price in range(1001):
    prices.on_next(price)
screen.request(1)  # the screen has time again
prices.on_complete()

print(f"drawn: {screen.drawn}")
print(f"dropped: {len(dropped)}")
