"""Judges the judge: `python -m tests.tck_selftest` prints how many mutants are caught and missed, and false alarms.

There are two sets of mutants: components that are wrong on purpose, and the standard's examples, each with a statement
changed. Correct components are verified as they are, slow ones too, and on a busy machine. Ends with 1 when less than
98 % of either are killed, or one alarm is false.
"""

import argparse
import io
import sys
from contextlib import redirect_stderr

from tests.tck_selftest.all_mutants import ALL_MUTANTS
from tests.tck_selftest.figures import Figures
from tests.tck_selftest.judging import Judgement, judge_trials
from tests.tck_selftest.mutant import trials
from tests.tck_selftest.progress import Progress
from tests.tck_selftest.repeating import repetitions_of_correct_components
from tests.tck_selftest.statements.killing import killers, places
from tests.tck_selftest.statements.statement_figures import StatementFigures
from tests.tck_selftest.statements.survivors import reviewed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tck_selftest", description=__doc__)
    parser.add_argument(
        "--repetitions",
        type=int,
        default=200,
        help="of every correct component under load; 200 by default; a twentieth of it fast and slow",
    )
    repetitions = parser.parse_args().repetitions
    judgements = judged_mutants()
    statements = StatementFigures(judged_statements(), reviewed())
    figures = Figures(judgements, tuple(repetitions_of_correct_components(repetitions)))
    for line in (*statements.lines(), *figures.lines()):
        print(line)
    return 0 if statements.is_good and figures.is_good else 1


def judged_mutants() -> list[Judgement]:
    waiting = list(trials(ALL_MUTANTS))
    progress = Progress("mutants", len(waiting))
    survived = [0]

    def note(judgement: Judgement, done: int, of: int) -> None:
        survived[0] += not judgement.is_as_expected
        progress.step(f"{survived[0]} not seen")

    with redirect_stderr(io.StringIO()):  # what mutants log
        return list(judge_trials(waiting, on_judgement=note).values())


def judged_statements() -> dict[str, str]:
    waiting = places()
    progress = Progress("mutants of statements", len(waiting))
    found: dict[str, str] = {}
    for place, killer in killers(waiting):
        found[str(place)] = killer
        progress.step(f"{list(found.values()).count('')} not seen")
    return found


if __name__ == "__main__":
    sys.exit(main())
