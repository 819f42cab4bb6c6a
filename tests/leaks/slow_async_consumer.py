"""Two million elements for a task that takes a millisecond for each and leaves after some thousand.

python -m tests.leaks.slow_async_consumer: prints how many elements were made and not taken at most, and by how many KiB
the process has grown meanwhile.
"""

import asyncio

from reactivestreams import Stream
from reactivestreams.schedulers import WorkerScheduler
from tests.leaks.growth import resident_kibibytes

ELEMENTS, TAKEN, WARM_UP = 2_000_000, 5_000, 500
BOUND, PREFETCH = 1024, 128


async def consume(stream: Stream[int], made: list[int]) -> tuple[int, int]:
    most = before = 0
    async with stream.iterate_async(prefetch=PREFETCH) as elements:
        async for number in elements:
            most = max(most, made[0] - number - 1)
            if number == WARM_UP:
                before = resident_kibibytes()
            if number == TAKEN:
                break
            await asyncio.sleep(0.001)
    return most, resident_kibibytes() - before


def main() -> None:
    made = [0]

    def count(number: int) -> None:
        made[0] = number + 1

    with WorkerScheduler(name="reactivestreams-fast") as fast, WorkerScheduler(name="reactivestreams-bound") as bound:
        numbers = Stream.range(ELEMENTS).observe_on(fast).do(count)
        print(*asyncio.run(consume(numbers.observe_on(bound, prefetch=BOUND), made)))


if __name__ == "__main__":
    main()
