"""The extension as its users see it."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from native_lines import LineStarts, SharedLineStarts, count_byte, lines

from reactivestreams import BaseSubscriber, Stream

TEXT = b"".join(b"%d,%d,%s\n" % (n, n * n, b"," * (n % 5)) for n in range(10_000))
STARTS = [0, *(position + 1 for position, byte in enumerate(TEXT) if byte == ord("\n"))][:-1]


class Recorder(BaseSubscriber):
    def __init__(self) -> None:
        self.elements: list[object] = []
        self.ended = ""

    def hook_on_subscribe(self) -> None:
        pass

    def hook_on_next(self, element: object) -> None:
        self.elements.append(element)

    def hook_on_complete(self) -> None:
        self.ended = "complete"


@pytest.mark.parametrize("data", [b"", b"\n", b"a", b"a\n", b"a\n\nb", b"\n\n", bytearray(b"x\ny"), memoryview(TEXT)])
def test_the_lines_are_those_that_split_gives(data: bytes) -> None:
    expected = bytes(data).removesuffix(b"\n").split(b"\n") if data else []
    assert lines(data).to_list() == expected


def test_no_more_lines_are_sent_than_requested() -> None:
    recorder = Recorder()
    lines(b"a\nb\nc").subscribe(recorder)
    recorder.request(2)
    before = list(recorder.elements), recorder.ended
    recorder.request(1)
    assert (before, recorder.elements, recorder.ended) == (([b"a", b"b"], ""), [b"a", b"b", b"c"], "complete")


def test_a_cancelled_source_gives_its_buffer_back() -> None:
    data = bytearray(b"a\nb\nc")
    recorder = Recorder()
    lines(data).subscribe(recorder)
    recorder.request(1)
    with pytest.raises(BufferError):
        data.append(0)
    recorder.cancel()
    data.append(0)
    assert recorder.elements == [b"a"]


def test_what_is_no_buffer_is_refused_where_the_stream_is_described() -> None:
    with pytest.raises(TypeError, match="bytes-like"):
        lines("text")


def test_a_byte_is_counted_in_each_line() -> None:
    assert count_byte(lines(TEXT), b",").to_list() == [2 + n % 5 for n in range(10_000)]


def test_the_operator_works_between_operators_in_python() -> None:
    stream = Stream.just("a,b", "", ",").map(str.encode)
    assert count_byte(stream, b",").filter(bool).to_list() == [1, 1]


def test_an_element_of_another_type_fails_the_stream_and_names_the_operator() -> None:
    with pytest.raises(TypeError, match="count_byte needs elements of bytes, got 'text'") as caught:
        count_byte(Stream.just("text"), b",").to_list()
    assert "in native-lines://operators/count_byte, assembled at " in caught.value.__notes__[0]


def test_a_count_of_no_single_byte_is_refused() -> None:
    with pytest.raises(ValueError, match="needs one byte, got b''"):
        count_byte(lines(b""), b"")


def test_line_starts_are_found_for_demand_only() -> None:
    starts = LineStarts(b"a\n\nb\n")
    counts = [starts.find()]
    starts.request(2)
    counts.append(starts.find())
    first = starts.take()
    starts.request(5)
    counts.append(starts.find())
    assert (counts, first, starts.take(), starts.is_exhausted) == ([0, 2, 1], [0, 2], [3], True)


@pytest.mark.parametrize("n", [0, -1])
def test_a_request_that_is_not_positive_is_refused(n: int) -> None:
    with pytest.raises(ValueError, match=r"§3\.9: request\(n\) needs n > 0"):
        LineStarts(b"").request(n)


def test_line_starts_pass_from_thread_to_thread_in_order() -> None:
    starts = LineStarts(TEXT, capacity=256)
    taken: list[int] = []

    def find() -> None:
        while not starts.is_exhausted:
            starts.find()

    with ThreadPoolExecutor(1) as pool:
        finder = pool.submit(find)
        while not finder.done():
            starts.request(256)
            taken += starts.take()
        finder.result()
    taken += starts.take()
    assert taken == STARTS


def test_several_threads_find_the_line_starts_of_a_buffer() -> None:
    shared = SharedLineStarts(TEXT, capacity=len(STARTS))
    bounds = [len(TEXT) * part // 4 for part in range(5)]
    with ThreadPoolExecutor(4) as pool:
        reached = list(pool.map(shared.find, bounds[:-1], bounds[1:]))
    taken = shared.take()
    assert (reached, sorted(taken)) == (bounds[1:], STARTS)
    for start, stop in pairwise(bounds):
        of_one_thread = [position for position in taken if start <= position < stop]
        assert of_one_thread == sorted(of_one_thread)


def test_a_full_ring_stops_the_search_where_it_can_go_on() -> None:
    shared = SharedLineStarts(b"a\nb\nc\n", capacity=2)
    first = shared.find(0, 6), shared.take()
    second = shared.find(4, 6), shared.take()
    assert (first, second) == ((4, [0, 2]), (6, [4]))


def test_a_part_outside_of_the_buffer_is_refused() -> None:
    with pytest.raises(ValueError, match="needs 0 <= start <= stop <= 3, got 2, 4"):
        SharedLineStarts(b"abc").find(2, 4)
