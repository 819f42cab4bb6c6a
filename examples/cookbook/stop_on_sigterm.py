"""Stop gracefully on SIGTERM: take nothing new, finish what was begun, and end with status 0.

A service manager sends SIGTERM and, half a minute later, SIGKILL. The source ends when the signal comes; all that was
taken before still passes through the stream, also what waits in its buffer. The program starts itself as the service,
and stops it.

Prints:
    stopped: all that was taken is written
    status 0
"""

import asyncio
import signal
import subprocess
import sys

from reactivestreams import Stream


async def serve() -> None:
    taken, written = 0, 0
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)

    async def requests():
        nonlocal taken
        while not stopping.is_set():
            await asyncio.sleep(0.001)
            taken += 1
            yield taken
            if taken == 25:
                print("ready", flush=True)

    async def write(batch: list[int]) -> None:
        nonlocal written
        await asyncio.sleep(0.001)
        written += len(batch)

    await Stream.from_async_iterable(requests()).buffer(10).map_async(write, concurrency=1).run_async()
    print("all that was taken is written" if taken == written else f"took {taken}, wrote {written}", flush=True)


def start_and_stop() -> None:
    with subprocess.Popen([sys.executable, __file__, "serve"], stdout=subprocess.PIPE, text=True) as service:
        assert service.stdout is not None
        assert service.stdout.readline() == "ready\n"
        service.send_signal(signal.SIGTERM)
        print("stopped:", service.stdout.read().strip())
    print(f"status {service.returncode}")


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        asyncio.run(serve())
    else:
        start_and_stop()
