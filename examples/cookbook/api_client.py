"""Ask a service about many things: four requests at once, at a limited rate, with a timeout and retries.

The service of this program runs in it. It fails now and then and once takes an hour; its contract permits ten new
questions in 50 milliseconds, and what is asked again does not count. The answers keep the order of the questions.

Prints:
    20 answers, the first ones are ['user 0', 'user 1', 'user 2']
    at most 4 requests ran at once
    3 failed and 1 took too long; each was asked again
"""

import asyncio
from collections import Counter

from reactivestreams import RetryPolicy, Stream

happened: Counter[str] = Counter()
running: set[int] = set()
asked: Counter[int] = Counter()


async def service(number: int) -> str:
    """Answer as an HTTP client would: `await client.get(...)`."""
    asked[number] += 1
    if asked[number] == 1 and number == 13:
        await asyncio.sleep(3600)
    await asyncio.sleep(0.001)
    if asked[number] == 1 and number % 7 == 4:
        happened["failed"] += 1
        raise ConnectionError(f"user {number}: 503")
    return f"user {number}"


async def ask(number: int) -> str:
    running.add(number)
    happened["at once"] = max(happened["at once"], len(running))
    try:
        return await asyncio.wait_for(service(number), timeout=2)
    except TimeoutError:
        happened["late"] += 1
        raise
    finally:
        running.discard(number)


POLICY = RetryPolicy(times=3, delay_seconds=0.01, factor=2, jitter=0.5)


def answer(number: int) -> Stream[str]:
    return Stream.just(number).map_async(ask).retry(POLICY)


async def main() -> None:
    questions = Stream.range(20).rate_limit(10, 0.05)
    answers = await questions.flat_map_ordered(answer, concurrency=4).to_list_async()
    print(f"{len(answers)} answers, the first ones are {answers[:3]}")
    print(f"at most {happened['at once']} requests ran at once")
    print(f"{happened['failed']} failed and {happened['late']} took too long; each was asked again")


asyncio.run(main())
