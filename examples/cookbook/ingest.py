"""Take in readings over HTTP and a websocket, and store them in SQLite: a slow disk slows the senders down.

The connections share one queue of 100 readings. While it is full nobody reads the sockets, so TCP makes the senders
wait: the backpressure reaches from the table to another machine, and memory stays flat.

Prints:
    http: 300 readings, sum 44850
    websocket: 200 readings, sum 19900
    at most 100 waited
"""

import asyncio
import sqlite3

from aiohttp import ClientSession, web

from reactivestreams import Stream


def application(queue):
    """Return a server that puts each reading into the queue, and waits where that is full."""

    async def take_post(request):
        async for line in request.content:
            await queue.put(("http", int(line)))
        return web.Response(status=204)

    async def take_messages(request):
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            await queue.put(("websocket", int(message.data)))
        return socket

    app = web.Application()
    app.add_routes([web.post("/readings", take_post), web.get("/readings", take_messages)])
    return app


async def send(url):
    """Be the other machine: 300 readings in one request, and 200 in messages."""
    async with ClientSession() as client:
        body = "".join(f"{number}\n" for number in range(300))
        async with client.post(url, data=body) as response:
            response.raise_for_status()
        async with client.ws_connect(url) as socket:
            for number in range(200):
                await socket.send_str(str(number))


async def main():
    table = sqlite3.connect(":memory:")
    table.execute("CREATE TABLE readings (way TEXT, reading INTEGER)")
    queue = asyncio.Queue(100)
    waited = []

    async def store(rows):
        waited.append(queue.qsize())
        with table:  # one transaction for each batch
            table.executemany("INSERT INTO readings VALUES (?, ?)", rows)

    storing = asyncio.create_task(Stream.from_queue(queue).buffer(50).map_async(store, concurrency=1).run_async())
    runner = web.AppRunner(application(queue))
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        await send(f"http://127.0.0.1:{runner.addresses[0][1]}/readings")
    finally:
        await runner.cleanup()
    await queue.put(None)  # the end of the stream
    await storing
    for way, count, total in table.execute("SELECT way, count(*), sum(reading) FROM readings GROUP BY way"):
        print(f"{way}: {count} readings, sum {total}")
    print("at most 100 waited" if max(waited) <= 100 else f"{max(waited)} waited")
    table.close()


asyncio.run(main())
