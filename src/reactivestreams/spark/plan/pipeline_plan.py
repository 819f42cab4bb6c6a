"""How a pipeline is cut into steps that run on the executors, and the text that tells it."""

from dataclasses import dataclass
from typing import Any

from reactivestreams.spark.guarantees import Guarantee, PartGuarantee, weakest
from reactivestreams.spark.on_error.row_failures import DEAD_LETTER, FAIL, SKIP
from reactivestreams.stream import Operator, Pipeline

__all__ = ["PipelinePlan", "Step", "make_plan", "short_name"]


FAILING_ROWS = {
    FAIL: "the action fails",
    SKIP: "left out and counted",
    DEAD_LETTER: "collected as dead letters",
}


@dataclass(frozen=True, slots=True)
class Step:
    """A part of the pipeline that runs in one task without rows moving between tasks.

    Attributes:
        pipeline: The operators of this part.
        shuffle: The keyed operator at the start of the next part, by whose key the results of this part are moved; None
            in the last.
    """

    pipeline: Pipeline[Any, Any]
    shuffle: Operator | None


@dataclass(frozen=True, slots=True)
class PipelinePlan:
    """Which operators run where, and what is promised; its text is the answer of `explain`.

    Attributes:
        steps: The parts, in their order.
        form: The form in which rows enter.
        order_by: Columns by which the rows of a key are ordered; empty where no order is promised.
        buckets: How many buckets the keys are spread over.
        on_error: What becomes of rows that fail.
        guarantees: What the source, the operators and the sink promise when processes die.
    """

    steps: tuple[Step, ...]
    form: str
    order_by: tuple[str, ...]
    buckets: int
    on_error: str = FAIL
    guarantees: tuple[PartGuarantee, ...] = ()

    @property
    def guarantee(self) -> Guarantee:
        """What holds for the whole: the promise of its weakest part."""
        found = weakest(self.guarantees)
        return Guarantee.NONE if found is None else found.guarantee

    @property
    def is_keyed(self) -> bool:
        """True where rows move between tasks by a key."""
        return len(self.steps) > 1

    @property
    def order(self) -> str:
        """The order that is promised."""
        if not self.is_keyed:
            return "in a partition as read; between partitions none"
        if self.order_by:
            return f"in a key by {', '.join(self.order_by)}, equal ones as read; between keys none"
        return "unordered: in a key as Spark read the rows, which a shuffle before may change from run to run"

    def restarting(self) -> list[Operator]:
        """Return the operators whose state is lost between partitions: those with state and without a key."""
        return [
            operator
            for step in self.steps
            for operator in step.pipeline.operators
            if operator.definition.stateful and not operator.definition.keyed
        ]

    def __str__(self) -> str:
        lines = []
        for number, step in enumerate(self.steps, 1):
            place = "partition of the DataFrame" if number == 1 else "bucket"
            lines.append(f"step {number}, on the executors, one task a {place} (mapInArrow):")
            lines += [
                f"  {short_name(operator):<12} {operator.assembly}{remark(operator)}"
                for operator in step.pipeline.operators
            ]
            if step.shuffle is not None:
                lines.append(
                    f"  {'move':<12} by the key of {short_name(step.shuffle)} to one of {self.buckets} buckets, then "
                    "sort"
                )
            elif not step.pipeline.operators:
                lines.append("  (no operators)")
        lines.append(f"rows enter as: {self.form}")
        lines.append(f"order: {self.order}")
        lines.append(f"rows that fail: {FAILING_ROWS[self.on_error]}")
        lines.append(f"guarantee: {self.guarantee.value}")
        for part in self.guarantees:
            remedy = f"; {part.remedy}" if part.remedy else ""
            lines.append(f"  {part.part}: {part.guarantee.value}, since {part.reason}{remedy}")
        return "\n".join(lines)

    __repr__ = __str__


def make_plan(
    pipeline: Pipeline[Any, Any], *, form: str, order_by: tuple[str, ...], buckets: int, on_error: str
) -> PipelinePlan:
    """Cut a pipeline before each keyed operator."""
    operators = pipeline.operators
    cuts = [index for index, operator in enumerate(operators) if operator.definition.keyed]
    steps = tuple(
        Step(pipeline.slice(start, stop), operators[stop] if stop < len(operators) else None)
        for start, stop in zip([0, *cuts], [*cuts, len(operators)], strict=True)
    )
    return PipelinePlan(steps, form, order_by, buckets, on_error)


def short_name(operator: Operator) -> str:
    """Return the last part of an operator's id, which is the name that users know."""
    return operator.definition.id.rpartition("/")[2]


def remark(operator: Operator) -> str:
    """Return what the plan says behind an operator."""
    if operator.definition.keyed:
        return "  (state per key)"
    return "  (state restarts in each partition)" if operator.definition.stateful else ""
