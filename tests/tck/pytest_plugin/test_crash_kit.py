"""The fixture `crash_kit` of the pytest plugin."""

import pytest

pytest_plugins = "pytester"

MODULE = """
    import pytest
    from reactivestreams.engine import IdempotentEgress, MemoryStore
    from reactivestreams.testing.crash import EgressCase, StoreCase

    class Appending(IdempotentEgress):
        def __init__(self, rows):
            self.rows = rows

        def write(self, batch_id, rows):
            self.rows.extend(rows)

    def appending(folder):
        rows = []
        return EgressCase(make=lambda: Appending(rows), results=lambda: rows)

    def memory(folder):
        store = MemoryStore()
        return StoreCase(make=store.after_crash)

    def test_right(crash_kit):
        assert crash_kit.store(memory).runs == {runs}

    def test_wrong(crash_kit):
        crash_kit.egress(appending)
"""


@pytest.mark.parametrize(("options", "runs"), [((), 20), (("--crash-most-runs", "30"), 30)])
def test_findings_fail_the_test_and_number_of_runs_is_a_setting(
    pytester: pytest.Pytester, options: tuple[str, ...], runs: int
) -> None:
    pytester.makeini("[pytest]\ncrash_most_runs = 20\naddopts = -p no:cacheprovider")
    pytester.makepyfile(MODULE.replace("{runs}", str(runs)))
    result = pytester.runpytest(*options)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*CrashTestError: check_egress of Appending: *", "*duplicate (*"])
