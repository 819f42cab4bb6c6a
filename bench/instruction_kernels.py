"""What `make bench-instructions` counts: one kernel for each hot path of the core, and pipelines of several sizes.

Run by instructions.py, under valgrind: python -m bench.instruction_kernels KIND FOLDER_OF_THE_COMPILED_MARKS LAYOUT
"""

import gc
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bench import (
    bench_blocking_iteration,
    bench_emitter,
    bench_fused_chain,
    bench_mpsc_ring,
    bench_request,
    bench_set_up,
    bench_spsc_ring,
    bench_subject,
)
from bench.bench_demand import request_one_by_one
from bench.bench_subscriber import subscribe
from bench.growing_pipelines import growing_pipelines
from reactivestreams import Stream
from reactivestreams.schedulers import ImmediateScheduler
from rs_core.demand import Demand
from rs_core.queues.mpsc_ring import MpscRing
from rs_core.queues.spsc_ring import SpscRing

ELEMENTS = 2_000
STREAMS = 100

# The sizes by which the interpreter's allocator sorts objects into pools.
SMALL_OBJECT_STEP, LARGEST_SMALL_OBJECT = 16, 512


@dataclass(frozen=True, slots=True)
class Kernel:
    """A piece of work that does the same each time, in one thread; `operations` elements, requests or streams."""

    name: str
    run: Callable[[], object]
    operations: int


def hot_paths() -> list[Kernel]:
    """Return the kernels of the hot paths, each ready to run."""
    demand, ring, never = Demand(), SpscRing[None](bench_spsc_ring.CAPACITY), bench_request.subscription_of_never()
    chain, compiled = bench_fused_chain.map_filter(ELEMENTS), bench_fused_chain.compiled_callables(ELEMENTS)
    boundary = Stream.range(ELEMENTS).observe_on(ImmediateScheduler(), prefetch=128)
    shared, emit = MpscRing[None](bench_spsc_ring.CAPACITY), bench_emitter.emitter().emit
    eight = bench_subject.subject(8)
    numbers, described = Stream.range(ELEMENTS), bench_set_up.described()
    return [
        Kernel("Demand.add(1)", lambda: request_one_by_one(demand, ELEMENTS), ELEMENTS),
        Kernel("request(1) inside on_next", lambda: bench_request.request_while_draining(ELEMENTS), ELEMENTS),
        Kernel("request(1) while idle", lambda: bench_request.request_while_idle(never, ELEMENTS), ELEMENTS),
        Kernel("SpscRing offer, poll", lambda: bench_spsc_ring.offer_and_poll(ring, ELEMENTS), ELEMENTS),
        Kernel("MpscRing offer, poll", lambda: bench_mpsc_ring.offer_and_poll(shared, ELEMENTS), ELEMENTS),
        Kernel("SerializedEmitter.emit in one thread", lambda: bench_emitter.emit_all(emit, ELEMENTS), ELEMENTS),
        Kernel("Stream.create, for_each", lambda: bench_emitter.created(ELEMENTS), ELEMENTS),
        Kernel("range, map, filter, run()", chain.run, ELEMENTS),
        Kernel("range, map, filter, run(prefetch=128)", lambda: chain.run(prefetch=128), ELEMENTS),
        Kernel("map(operator.neg), filter(operator.truth)", compiled.run, ELEMENTS),
        Kernel("subscriber in Python, empty on_next", lambda: subscribe(numbers), ELEMENTS),
        Kernel("for loop over a stream", lambda: bench_blocking_iteration.loop_over_stream(ELEMENTS), ELEMENTS),
        Kernel("observe_on in one thread", boundary.run, ELEMENTS),
        Kernel(
            "push into a subject, eight subscribers",
            lambda: bench_subject.push_all(eight, 8),
            bench_subject.elements(8),
        ),
        Kernel("describe a source and 3 operators", lambda: bench_set_up.describe(STREAMS), STREAMS),
        Kernel("bind, start, 1 element, complete", lambda: bench_set_up.bind_to_complete(described, STREAMS), STREAMS),
    ]


def sizes() -> list[Kernel]:
    """Return a kernel for each pipeline that may grow and each of its sizes; an operation is the whole."""
    return [
        Kernel(growing.name_of(size), partial(growing.run, size), 1)
        for growing in growing_pipelines()
        for size in growing.sizes
    ]


KINDS: dict[str, Callable[[], list[Kernel]]] = {"hot_paths": hot_paths, "sizes": sizes}


def main(kind: str, folder: str, layout: str) -> int:
    """Count each kernel of a kind, beside so many objects of each small size; the marks write what was counted."""
    sys.path.insert(0, folder)
    import callgrind_marks

    if not callgrind_marks.is_counting():
        print("nothing counts here: run python -m bench.instructions, which starts valgrind", file=sys.stderr)
        return 2
    beside = [bytes(size) for size in range(0, LARGEST_SMALL_OBJECT, SMALL_OBJECT_STEP) for _ in range(int(layout))]
    to_count = KINDS[kind]()
    gc.disable()
    for kernel in to_count:
        kernel.run()  # the interpreter adapts its code to what it meets, caches fill
    callgrind_marks.start()
    for kernel in to_count:
        kernel.run()
        callgrind_marks.count(kernel.name, kernel.run)
    del beside  # not earlier
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
