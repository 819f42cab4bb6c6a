"""What `engine top` makes of the numbers that an engine writes."""

from typing import Any

from reactivestreams.cli.top import heading_of, with_rates


def sample(seconds: float, elements: int | None, **changes: Any) -> dict[str, Any]:
    figures = {"elements": elements, "demand": 2**63 - 1, "waiting": 0, "capacity": 10, "behind": 0}
    return {
        "process": 7,
        "time": seconds,
        "status": "running",
        "failed_checkpoints": 0,
        "last_checkpoint": None,
        "artifacts": [{"id": "in", "kind": "ingress", "status": "running", "figures": figures, "error": ""}],
        **changes,
    }


def test_rate_is_that_between_two_samples() -> None:
    assert with_rates(sample(10, 100), sample(12, 150))["artifacts"][0]["rate"] == 25.0


def test_rate_is_unknown_without_numbers_or_time() -> None:
    for before, now in (
        (sample(10, None), sample(12, None)),
        (sample(10, 5), sample(10, 9)),
        (sample(10, 5, artifacts=[]), sample(12, 9)),
    ):
        assert with_rates(before, now)["artifacts"][0]["rate"] is None


def test_heading_has_the_last_checkpoint() -> None:
    assert heading_of(sample(12, 1)) == "process 7: running, no checkpoint yet"
    last = {
        "number": 3,
        "began": 9_990_000_000,
        "committed": 10_000_000_000,
        "pause_microseconds": 1_500,
        "size_bytes": 4_096,
    }
    assert heading_of(sample(12, 1, last_checkpoint=last, failed_checkpoints=2)) == (
        "process 7: running; checkpoint 3 2.0 s ago: 10.0 ms, 1.5 ms of them paused, 4,096 bytes; 2 failed since"
    )
