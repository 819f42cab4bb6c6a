"""The rows of the table: what is compared with what, and the bar that each has to meet."""

import marshal
import pickle
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Literal

from bench import (
    bench_async_hand_off,
    bench_blocking_iteration,
    bench_demand,
    bench_emitter,
    bench_engine,
    bench_event_time,
    bench_executor,
    bench_fused_chain,
    bench_import,
    bench_keyed_recovery,
    bench_mpsc_ring,
    bench_operators,
    bench_parallel,
    bench_request,
    bench_saved_state,
    bench_schedulers,
    bench_set_up,
    bench_spsc_ring,
    bench_subject,
    bench_subscriber,
    bench_thread_hand_off,
    bench_timed,
)
from bench.interleaved import THREAD_TIME, WALL_TIME, Case, Clock
from bench.native_harness import bare_calls_harness, forwarding_harness, native_harness
from reactivestreams import Stream
from reactivestreams.state import decode_value, encode_value, load_tree, save_tree
from rs_core.demand import Demand
from rs_core.queues.mpsc_ring import MpscRing
from rs_core.queues.spsc_ring import SpscRing

NATIVE_OPERATIONS = 500_000


MILLISECOND = 1_000_000
"""In nanoseconds."""

SHOWN_IN_MILLISECONDS = 10 * MILLISECOND
"""From this on a time is shown in milliseconds."""


@dataclass(frozen=True, slots=True)
class Bar:
    """The most that a case may cost: a multiple of its baseline ("x"), nanoseconds ("ns"), or so many more than its
    baseline ("ns more")."""

    at_most: float
    unit: Literal["x", "ns", "ns more"]

    def __str__(self) -> str:
        if self.unit == "x":
            return f"<= {self.at_most:.2f}"
        more = self.unit.removeprefix("ns")
        if self.at_most < SHOWN_IN_MILLISECONDS:
            return f"<= {self.at_most:g} ns{more}"
        return f"<= {self.at_most / MILLISECOND:g} ms{more}"


@dataclass(frozen=True, slots=True)
class Row:
    """A case against its baseline; without a bar it is only reported."""

    case: Case
    baseline: Case | None
    bar: Bar | None = None


Family = list[Row]
"""Rows of one subject: their cases are timed next to each other in every round."""


def cases_of(family: Iterable[Row]) -> list[Case]:
    """Return what has to be timed for these rows, each case once."""
    return list(dict.fromkeys(case for row in family for case in (row.baseline, row.case) if case is not None))


def all_families() -> list[Family]:
    """Return every row that exists; compiles the native harnesses."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        native, forwarding = native_harness(Path(folder)), forwarding_harness(Path(folder))
        bare_calls = bare_calls_harness(Path(folder))
    hand_offs = [_hand_off(name, placed, bar) for name, placed, bar in _places()]
    return [
        *_chains(),
        *_operators(bare_calls),
        _set_up(),
        _import(),
        _subscriber(),
        _iteration(),
        _request(),
        _ring(),
        _native(native),
        *_saved_state(),
        *_engine(),
        *_keyed_recovery(),
        *_timed(),
        *_event_time(),
        *_emitter(forwarding),
        *_schedulers(),
        *_subjects(bare_calls),
        *hand_offs,
        *_into_a_loop(),
        _into_processes(),
        _on_rails(),
    ]


def _chains() -> list[Family]:
    chain, elements, no_slower = bench_fused_chain, bench_fused_chain.ELEMENTS, Bar(1, "x")
    keyed_bar = Bar(1.15, "x")
    two, many, compiled = chain.map_filter(), chain.maps(), chain.compiled_callables()
    two_builtins = Case("deque(filter(p, map(f, range(n))), maxlen=0)", chain.map_filter_builtins, elements)
    many_builtins = Case("as many nested built-in map", chain.maps_builtins, elements)
    compiled_builtins = Case("the same of built-in iterators", chain.compiled_callables_builtins, elements)
    lists_builtins = Case("list(islice(it, 100)), len, sum", chain.buffer_sum_builtins, elements)
    pairs_builtins = Case("map(f, itertools.pairwise)", chain.pairs_builtins, elements)
    keyed_loop = Case("dict loop, the same two functions", chain.keyed_loop, elements)
    count_loop = Case("dict loop, the same function", chain.keyed_count_loop, elements)
    bounded = Case("range, map, filter, run(prefetch=128)", lambda: two.run(prefetch=128), elements)
    return [
        [
            Row(Case("range, map, filter, run()", two.run, elements), two_builtins, no_slower),
            Row(bounded, two_builtins, no_slower),
        ],
        [Row(Case(f"{chain.MAPS} map", many.run, elements), many_builtins, no_slower)],
        [Row(Case("map(operator.neg), filter(operator.truth)", compiled.run, elements), compiled_builtins, no_slower)],
        [Row(Case("buffer(100), len, sum", chain.buffer_sum, elements), lists_builtins, Bar(0.75, "x"))],
        [Row(Case("pairwise, map", chain.pairs().run, elements), pairs_builtins, Bar(1.25, "x"))],
        [
            Row(Case(f"key_by, scan, {chain.KEYS} keys", chain.keyed_scan().run, elements), keyed_loop, keyed_bar),
            Row(Case(f"key_by, reduce, {chain.KEYS} keys", chain.keyed_reduce().run, elements), keyed_loop, keyed_bar),
        ],
        [Row(Case(f"key_by, count, {chain.KEYS} keys", chain.keyed_count().run, elements), count_loop, keyed_bar)],
    ]


def _operators(bare_calls: ModuleType) -> list[Family]:
    """A family for each stream, since what an operator costs says nothing about another one."""
    increment, elements = bench_fused_chain.increment, bench_fused_chain.ELEMENTS
    floor = Case(
        "floor: a bare C loop that makes ten calls",
        lambda: bare_calls.call_in_a_row(increment, bench_fused_chain.MAPS, elements),
        elements,
    )
    bars = {
        "reduce": Bar(1.15, "x"),
        "map": Bar(1.02, "x"),
        "flat_map_tuples": Bar(0.85, "x"),
        "flat_map_lists": Bar(0.85, "x"),
        "flat_map_given_stream": Bar(60, "ns"),
        "zip": Bar(1.5, "x"),
        "merge": Bar(25, "ns"),
        "concat": Bar(1.1, "x"),
        "on_error_resume": Bar(1.25, "x"),
        "retry": Bar(1.25, "x"),
        "tap": Bar(1.1, "x"),
        "take_while": Bar(1.25, "x"),
        "distinct": Bar(1.25, "x"),
    }
    families: dict[Case, Family] = {}
    for name, task in bench_operators.tasks().items():
        stream = Case(task.name, task.run, task.operations)
        baseline = Case(task.baseline_name, task.baseline, task.operations)
        family = families.setdefault(stream, [])
        family.append(Row(stream, baseline, bars.get(name)))
        if name == "map":
            family.append(Row(floor, baseline))
    return list(families.values())


def _set_up() -> Family:
    streams, described = bench_set_up.STREAMS, bench_set_up.described()
    baseline = Case("the built-in chain, made and used", bench_set_up.builtins, streams)
    describe = Case("describe a source and 3 operators", bench_set_up.describe, streams)
    bind = Case("bind, start, 1 element, complete", lambda: bench_set_up.bind_to_complete(described), streams)
    floor = Case("floor: the 4 nodes and their lines alone", bench_set_up.only_nodes, streams)
    return [Row(describe, baseline, Bar(1000, "ns")), Row(floor, baseline), Row(bind, baseline, Bar(2000, "ns"))]


def _import() -> Family:
    first, baseline = (
        Case(name, partial(bench_import.run, program), 1, bench_import.time_of_programs)
        for name, program in bench_import.PROGRAMS.items()
    )
    return [Row(first, baseline, Bar(0.5, "x"))]


def _subscriber() -> Family:
    elements = bench_subscriber.ELEMENTS
    source = Stream.range(elements)
    baseline = Case("for loop calling obj.on_next(x)", bench_subscriber.for_loop, elements)
    subscribe = Case("subscriber in Python, empty on_next", lambda: bench_subscriber.subscribe(source), elements)
    floor = Case("floor: built-in map calling obj.on_next", bench_subscriber.builtin_map, elements)
    return [Row(subscribe, baseline, Bar(1.05, "x")), Row(floor, baseline)]


def _iteration() -> Family:
    loops, elements = bench_blocking_iteration, bench_blocking_iteration.ELEMENTS
    baseline = Case("for loop over a generator", loops.loop_over_generator, elements)
    return [
        Row(Case("for loop over a stream", loops.loop_over_stream, elements), baseline),
        Row(Case("the same, prefetch=128", lambda: loops.loop_over_stream(elements, 128), elements), baseline),
    ]


def _request() -> Family:
    requests, cheap = bench_request.REQUESTS, Bar(25, "ns")
    locked, demand, never = bench_demand.LockedDemand(), Demand(), bench_request.subscription_of_never()
    baseline = Case("lock and int", lambda: bench_demand.request_one_by_one(locked, requests), requests)
    add = Case("Demand.add(1)", lambda: bench_demand.request_one_by_one(demand, requests), requests)
    draining = Case("request(1) inside on_next", bench_request.request_while_draining, requests)
    idle = Case("request(1) while idle", lambda: bench_request.request_while_idle(never), requests)
    floor = Case("floor: a call of operator.truth(1)", bench_request.call_compiled, requests)
    return [
        Row(draining, baseline, cheap),
        Row(idle, baseline, cheap),
        Row(add, baseline, cheap),
        Row(floor, baseline),
    ]


def _ring() -> Family:
    elements, queue = bench_request.REQUESTS, deque[None]()
    ring, shared = SpscRing[None](bench_spsc_ring.CAPACITY), MpscRing[None](bench_spsc_ring.CAPACITY)
    baseline = Case("deque append, popleft", lambda: bench_spsc_ring.append_and_popleft(queue, elements), elements)
    offer_poll = Case("SpscRing offer, poll", lambda: bench_spsc_ring.offer_and_poll(ring, elements), elements)
    many = Case("MpscRing offer, poll", lambda: bench_mpsc_ring.offer_and_poll(shared, elements), elements)
    return [Row(offer_poll, baseline, Bar(1, "x")), Row(many, baseline)]


def _native(harness: SimpleNamespace) -> Family:
    count = NATIVE_OPERATIONS
    capacity = bench_spsc_ring.CAPACITY
    demand, ring, shared = harness.NumberDemand(), harness.NumberRing(capacity), harness.ManyProducerRing(capacity)
    return [
        Row(Case("SPSC ring in C, push and pop", lambda: ring.push_and_pop(count, 64), count), None, Bar(2, "ns")),
        Row(Case("MPSC ring in C, push and pop", lambda: shared.push_and_pop(count, 64), count), None, Bar(8, "ns")),
        Row(Case("saturating add in C", lambda: demand.add(count, 1), count), None),
    ]


def _engine() -> list[Family]:
    engine = bench_engine
    one, many, keyed = engine.operators_of_a_kilobyte, engine.many_queries, engine.many_keys

    def spent(span: str, of: Callable[[], bench_engine.HostedQueries]) -> Clock:
        return lambda: int(getattr(of().spans, span))

    pause = Case(
        f"pause for {engine.OPERATORS:,} operators of 1 KiB", lambda: one().give_and_save(1), 1, spent("pause", one)
    )
    kilobytes = bench_saved_state.values()
    pickled = Case("pickle.dumps of their state", lambda: pickle.dumps(kilobytes), 1)
    ten = Case("pause for ten dirty queries", lambda: many().give_and_save(1), 1, spent("pause", many))
    all_of_them = Case(f"pause for all {engine.QUERIES:,}", lambda: many().save_all(), 1, spent("pause", many))
    recovery = Case(f"recovery of {engine.QUERIES:,} queries", lambda: many().recover(), 1, spent("recovery", many))
    change = engine.CHANGED_KEYS
    keys_pause = Case(
        f"pause for {change:,} of 10^6 keys", lambda: keyed().give_and_save(change), 1, spent("pause", keyed)
    )
    keys_commit = Case("their commit to SQLite", lambda: keyed().give_and_save(change), 1, spent("commit", keyed))
    keys_recovery = Case("recovery of 10^6 keys", lambda: keyed().recover(), 1, spent("recovery", keyed))
    sums = Case("two nested loops, the same function", engine.eight_sums, engine.ELEMENTS)
    eight = Case(
        "an element to eight hosted queries", lambda: engine.eight_queries().give(0, engine.ELEMENTS), engine.ELEMENTS
    )
    elements = 400_000
    never = Case("keyed query in an engine", lambda: engine.run_for(elements, None), elements, WALL_TIME)
    each_second = Case(
        "the same, a checkpoint each second",
        lambda: engine.run_for(elements, timedelta(seconds=1)),
        elements,
        WALL_TIME,
    )
    state = engine.keyed_state()
    encoded, pickled_state = encode_value(state), pickle.dumps(state)
    dumps = Case("pickle.dumps, 10^5 keys of 4-tuples", lambda: pickle.dumps(state), 1)
    loads = Case("pickle.loads of them", lambda: pickle.loads(pickled_state), 1)
    encode = Case("encode_value of them", lambda: encode_value(state), 1)
    decode = Case("decode_value of them", lambda: decode_value(encoded), 1)
    packed = Case("msgspec.msgpack.encode of them", partial(engine.packed_by_msgspec, state), 1)
    unpacked = Case(
        "msgspec.msgpack.decode of them", partial(engine.unpacked_by_msgspec, engine.packed_by_msgspec(state)), 1
    )
    return [
        [Row(pause, pickled, Bar(15 * MILLISECOND, "ns"))],
        [Row(ten, all_of_them, Bar(0.02, "x")), Row(recovery, None, Bar(1_000 * MILLISECOND, "ns"))],
        [
            Row(keys_pause, None, Bar(20 * MILLISECOND, "ns")),
            Row(keys_commit, None, Bar(100 * MILLISECOND, "ns")),
            Row(keys_recovery, None, Bar(3_000 * MILLISECOND, "ns")),
        ],
        [Row(eight, sums, Bar(400, "ns"))],
        [Row(each_second, never, Bar(1.05, "x"))],
        [
            Row(encode, dumps, Bar(8 * MILLISECOND, "ns")),
            Row(encode, packed),
            Row(decode, loads, Bar(1, "x")),
            Row(decode, unpacked, Bar(1, "x")),
        ],
    ]


def _keyed_recovery() -> list[Family]:
    bench = bench_keyed_recovery
    if not bench.HAS_BYTEWAX:
        return []
    pauses_of_ours, our_clock = bench.of_new_pauses(bench.in_an_engine)
    pauses_of_theirs, their_clock = bench.of_new_pauses(bench.in_bytewax)
    ours, _ = bench.of_new_pauses(bench.in_an_engine)
    theirs, _ = bench.of_new_pauses(bench.in_bytewax)
    return [
        [
            Row(
                Case("keyed query, state kept in SQLite", ours, bench.ENGINE_ELEMENTS, WALL_TIME),
                Case("the same in bytewax", theirs, bench.BYTEWAX_ELEMENTS, WALL_TIME),
                Bar(1, "x"),
            )
        ],
        [
            Row(
                Case("its longest pause in a run", pauses_of_ours, 1, our_clock),
                Case("that of bytewax", pauses_of_theirs, 1, their_clock),
                Bar(1, "x"),
            )
        ],
    ]


def _timed() -> list[Family]:
    bench, elements = bench_timed, bench_timed.ELEMENTS
    chain = Case("range, map, run()", bench.chain().run, elements)
    bars = {"debounce(an hour)": Bar(80, "ns more"), "buffer_timeout(100, an hour)": Bar(40, "ns more")}
    ours, theirs, timers = bench.of_scheduler(), bench.of_loop(), bench.TIMERS

    def timer(name: str, bar: Bar) -> Row:
        case = Case(f"{name} a timer where a million wait", ours.run, timers, _spent(ours, name))
        return Row(case, Case(f"the same of asyncio, {name}", theirs.run, timers, _spent(theirs, name)), bar)

    return [
        [
            Row(Case(name, put(bench.chain()).run, elements), chain, bars.get(name, Bar(60, "ns more")))
            for name, put in bench.OPERATORS.items()
        ],
        [timer(name, Bar(1_000, "ns")) for name in ("schedule", "cancel")],
    ]


def _spent(timers: bench_timed.Timers, name: str) -> Clock:
    return lambda: int(getattr(timers, name))


def _event_time() -> list[Family]:
    bench = bench_event_time
    if not bench.HAS_BYTEWAX:
        return []
    ours = Case(f"tumbling windows, {bench.KEYS:,} keys", bench.in_a_stream, bench.ELEMENTS, WALL_TIME)
    theirs = Case("tumbling windows in bytewax", bench.in_bytewax, bench.BYTEWAX_ELEMENTS, WALL_TIME)
    return [[Row(ours, theirs, Bar(1, "x"))]]


def _emitter(forwarding: ModuleType) -> list[Family]:
    subject, elements = bench_emitter, bench_emitter.ELEMENTS
    forward, alone, blocking = forwarding.Forwarder(subject.Silent()).emit, subject.emitter(), subject.emitter("block")
    shared, locked = subject.emitter("block"), subject.Locked()

    def one(name: str, emit: bench_emitter.Emit) -> Case:
        return Case(name, lambda: subject.emit_all(emit), elements)

    def four(name: str, emit: bench_emitter.Emit) -> Case:
        return Case(name, lambda: subject.emit_from_threads(emit), elements, WALL_TIME)

    forwarder = one("compiled forwarder to the same on_next", forward)
    lock = four(f"lock around on_next, {subject.PRODUCERS} threads", locked.emit)
    return [
        [
            Row(one("emitter, one thread", alone.emit), forwarder, Bar(1.15, "x")),
            Row(one("the same, on_overflow=block", blocking.emit), forwarder),
            Row(one("lock around on_next, one thread", locked.emit), forwarder),
            Row(Case("Stream.create, for_each", subject.created, elements), forwarder),
        ],
        [Row(four(f"emitter, {subject.PRODUCERS} threads, block", shared.emit), lock, Bar(0.4, "x"))],
    ]


def _saved_state() -> list[Family]:
    """Ten milliseconds for 1,000 operators are 10,000 nanoseconds for one."""
    subject, operators, bar = bench_saved_state, bench_saved_state.OPERATORS, Bar(10_000, "ns")
    values, before, after = subject.values(), subject.running(), subject.loading()
    saved, encoded, pickled = save_tree(before), encode_value(values), pickle.dumps(values)
    dumps = Case("pickle.dumps of the values", lambda: pickle.dumps(values), operators)
    loads = Case("pickle.loads of the values", lambda: pickle.loads(pickled), operators)
    return [
        [
            Row(Case(f"save a tree of {operators} x 1 KiB", lambda: save_tree(before), operators), dumps, bar),
            Row(Case("encode the values alone", lambda: encode_value(values), operators), dumps),
            Row(Case("marshal.dumps of the values", lambda: marshal.dumps(values), operators), dumps),
        ],
        [
            Row(Case(f"load a tree of {operators} x 1 KiB", lambda: load_tree(after, saved), operators), loads, bar),
            Row(Case("decode the values alone", lambda: decode_value(encoded), operators), loads),
        ],
    ]


def _schedulers() -> list[Family]:
    subject, tasks = bench_schedulers, bench_schedulers.TASKS
    chain = Case("virtual time, a chain of tasks", subject.chain_in_virtual_time, tasks)
    chain_in_a_heap = Case("heapq and a loop, a chain of tasks", subject.chain_in_a_heap, tasks)
    timers_in_a_heap = Case("heapq and a loop, timers", subject.timers_in_a_heap, tasks)
    through_queue = Case("functions through a SimpleQueue", subject.functions_through_a_queue, tasks, WALL_TIME)
    flagged, paused = subject.FlaggedThreads(), subject.PausedSchedulers()
    threads = Case("a flag, threads and a semaphore", flagged.run, subject.PAUSES, flagged.clock)
    pause = Case(f"pause of {subject.WORKERS} busy workers", paused.run, subject.PAUSES, paused.clock)
    return [
        [
            Row(chain, chain_in_a_heap, Bar(1000, "ns")),
            Row(Case("virtual time, timers", subject.timers_in_virtual_time, tasks), timers_in_a_heap),
        ],
        [Row(Case("tasks on a worker", subject.tasks_on_a_worker, tasks, WALL_TIME), through_queue)],
        [Row(pause, threads, Bar(1_000_000, "ns"))],
    ]


def _subjects(bare_calls: ModuleType) -> list[Family]:
    bars = {8: Bar(1.1, "x"), 64: Bar(1, "x")}
    return [_fan_out(fan_out, bare_calls, bars.get(fan_out)) for fan_out in bench_subject.FAN_OUTS]


def _fan_out(fan_out: int, bare_calls: ModuleType, bar: Bar | None) -> Family:
    bench, alone = bench_subject, bench_subject.subject(fan_out)
    loop, with_upstream = bench.loop_over_callables(fan_out), bench.subject(fan_out, has_upstream=True)

    def case(name: str, push: bench_subject.Push) -> Case:
        return Case(f"{name}, fan-out {fan_out}", lambda: bench.push_all(push, fan_out), bench.operations(fan_out))

    baseline = case("loop over callables", loop)
    called = bench.functions(fan_out)
    floor = Case(
        f"floor: a bare C loop, fan-out {fan_out}",
        lambda: bare_calls.call_each(called, bench.elements(fan_out)),
        bench.operations(fan_out),
    )
    return [
        Row(case("subject", alone), baseline, bar),
        Row(case("subject with an upstream", with_upstream), baseline),
        Row(floor, baseline),
    ]


Placed = Callable[[Callable[[], None]], Callable[[], None]]


def _places() -> list[tuple[str, Placed, Bar | None]]:
    """Where the threads of a hand-off run, and the bar against the queue without bound."""
    places: list[tuple[str, Placed, Bar | None]] = [("any core", lambda run: run, None)]
    if bench_thread_hand_off.HAS_AFFINITY:
        places.append(("one core", bench_thread_hand_off.on_one_core, Bar(1, "x")))
    return places


def _hand_off(place: str, placed: Placed, bar: Bar | None) -> Family:
    hand_off = bench_thread_hand_off

    def case(name: str, run: Callable[[], None], elements: int = hand_off.ELEMENTS) -> Case:
        return Case(f"{name}, {place}", placed(run), elements, WALL_TIME)

    unbounded = case("SimpleQueue", hand_off.through_simple_queue)
    bounded = case(f"Queue({hand_off.CAPACITY})", hand_off.through_bounded_queue, hand_off.BOUNDED_QUEUE_ELEMENTS)
    worker_to_worker = case("worker to worker by observe_on", hand_off.from_worker_to_worker)
    return [
        Row(worker_to_worker, unbounded, bar),
        Row(worker_to_worker, bounded, Bar(0.1, "x")),
        Row(case("publisher's thread to worker", hand_off.from_publisher_to_worker), unbounded),
        Row(case("publisher's thread to for loop", hand_off.from_publisher_to_loop), unbounded),
    ]


def _into_processes() -> Family:
    bench = bench_executor
    pool = Case("ProcessPoolExecutor.map, as large", bench.by_pool, bench.ELEMENTS, WALL_TIME)
    return [
        Row(Case("map_in_executor, chunks of 1000", bench.by_stream, bench.ELEMENTS, WALL_TIME), pool, Bar(1.1, "x"))
    ]


def _on_rails() -> Family:
    bench = bench_parallel
    one = Case("work in one thread, as much", bench.by_one_thread, bench.ELEMENTS, WALL_TIME)
    bar = None if getattr(sys, "_is_gil_enabled", lambda: True)() else Bar(1 / 1.7, "x")
    return [
        Row(Case("work in parallel(2)", bench.by_rails, bench.ELEMENTS, WALL_TIME), one, bar),
        Row(Case("work in parallel(2), in order", bench.by_rails_in_order, bench.ELEMENTS, WALL_TIME), one, bar),
    ]


def _into_a_loop() -> list[Family]:
    bench = bench_async_hand_off

    def case(title: str, name: str, clock: Clock = WALL_TIME) -> Case:
        main, elements = bench.CASES[name]
        return Case(title, lambda: bench.in_a_loop(main, elements), elements, clock)

    stream = case("thread to async for", "stream")
    within = case("emit and anext in one loop", "one_loop_stream", THREAD_TIME)
    ready = case("async for over a ready stream", "ready_stream", THREAD_TIME)
    ahead = case("the same, prefetch=128", "ready_stream_ahead", THREAD_TIME)
    generator = case("async for over an async generator", "async_generator", THREAD_TIME)
    return [
        [
            Row(stream, case("deque, credit, one wake-up per sleep", "deque_with_credit"), Bar(1.5, "x")),
            Row(stream, case("janus", "janus"), Bar(0.05, "x")),
            Row(stream, case("culsans", "culsans"), Bar(0.1, "x")),
            Row(stream, case("asyncio.Queue by call_soon_threadsafe", "asyncio_queue"), Bar(0.05, "x")),
        ],
        [Row(within, case("asyncio.Queue, nowait", "one_loop_queue", THREAD_TIME), Bar(1, "x"))],
        [Row(ready, generator, Bar(1.2, "x")), Row(ahead, generator)],
    ]
