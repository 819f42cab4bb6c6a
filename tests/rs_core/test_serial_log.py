"""The log of words: in debug builds it tells each transition in order; in others there is none, and it says so."""

from collections.abc import Iterator
from itertools import pairwise

import pytest

from reactivestreams import Stream
from rs_core.build_profile import PROFILE
from rs_core.debug_checks import serial_log, set_serial_log
from rs_core.emitter import SerializedEmitter
from tests.contracts.recording_subscriber import RecordingSubscriber

HAS_LOG = PROFILE == "debug"
needs_log = pytest.mark.skipif(not HAS_LOG, reason="only the debug build has a log")

MOST_RECORDS = 4096


@pytest.fixture
def log() -> Iterator[None]:
    set_serial_log(True)
    yield
    set_serial_log(False)


def transitions() -> list[tuple[str, int, int]]:
    return [(name, before, after) for _, name, before, after, _ in serial_log()]


@needs_log
@pytest.mark.usefixtures("log")
def test_an_emission_takes_the_token_and_gives_it_up() -> None:
    emitter = SerializedEmitter(RecordingSubscriber())
    emitter.emit(1)
    assert transitions() == [("try_acquire_idle", 0, 1), ("try_release", 1, 0)]


@needs_log
@pytest.mark.usefixtures("log")
def test_each_line_of_a_word_begins_as_the_one_before_left_it() -> None:
    assert Stream.range(100).flat_map(lambda n: [n, n]).to_list() == [n for n in range(100) for _ in range(2)]
    lines = serial_log()
    words = {line[0] for line in lines}
    assert len(words) >= 2  # of the source and of the queue
    for word in words:
        for earlier, later in pairwise(line for line in lines if line[0] == word):
            assert earlier[3] == later[2], f"{earlier}, then {later}"


@needs_log
@pytest.mark.usefixtures("log")
def test_the_log_is_bounded_and_keeps_what_is_new() -> None:
    emitter = SerializedEmitter(RecordingSubscriber())
    for number in range(MOST_RECORDS):
        emitter.emit(number)
    emitter.complete()
    assert len(serial_log()) == MOST_RECORDS
    assert transitions()[-1][0] == "set_relaxed"  # the end


@needs_log
def test_the_log_is_off_until_it_is_switched_on_and_begins_anew() -> None:
    assert set_serial_log(True) is False
    assert set_serial_log(False) is True
    SerializedEmitter(RecordingSubscriber()).emit(1)
    assert serial_log() == []


@pytest.mark.skipif(HAS_LOG, reason="the debug build has a log")
def test_a_build_without_a_log_says_which_has_one() -> None:
    assert set_serial_log(False) is False
    assert serial_log() == []
    with pytest.raises(NotImplementedError, match="RS_BUILD=debug"):
        set_serial_log(True)
