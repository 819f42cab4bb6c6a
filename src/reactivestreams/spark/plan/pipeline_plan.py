"""The plan of `apply`: the pipeline, the DataFrame and the settings, checked once.

A plan contains which operators run where, in what order and with what guarantee. `explain` returns it.
"""

from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reactivestreams.drawing.graph import Node, chain_graph
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.guarantees import Guarantee, PartGuarantee, checked_guarantee, require_guarantee, weakest
from reactivestreams.operators import (
    Cycle,
    Do,
    ExhaustMap,
    Finally,
    GroupBy,
    GroupByUntil,
    OnErrorContinue,
    Parallel,
    Repeat,
    RepeatWhen,
    Retry,
    RetryWhen,
    SwitchMap,
    Window,
    WindowTimeout,
    WindowToggle,
    WindowWhen,
)
from reactivestreams.operators.definition import FoldingDefinition
from reactivestreams.operators.keyed.event_windows import EventTime, Windows
from reactivestreams.operators.keyed.expiry import Expiry
from reactivestreams.spark.errors import PartitionStateWarning, UnorderedWarning
from reactivestreams.spark.guarantees import sink_guarantee, source_guarantee
from reactivestreams.spark.jvm_calls import plan_leaves
from reactivestreams.spark.on_error.error_policy import FAIL, POLICIES, checked_policy
from reactivestreams.spark.on_error.tolerant_pipeline import first_intolerant
from reactivestreams.spark.operator_names import place_of, short_name
from reactivestreams.spark.plan.result_schema import BATCH_OPERATORS, checked_schema, empty_result, known_schema
from reactivestreams.spark.plan.serialization import require_serializable
from reactivestreams.spark.rows.dataframe_arguments import (
    checked_columns,
    checked_count,
    is_connect,
    require_dataframe,
)
from reactivestreams.spark.rows.row_forms import checked_form
from reactivestreams.spark.steps.numbered_pipeline import first_unnumbered
from reactivestreams.stream import Operator, Pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["MAX_BUCKETS", "PipelinePlan", "Step", "cut_into_steps", "expiry_of", "lateness_of", "make_plan", "times_of"]

MAX_BUCKETS = 4096
"""Most buckets of a keyed pipeline. Each is a task; above about 500 buckets the overhead outweighs the gain."""

LEAST_DEFAULT_BUCKETS = 8
BUCKETS_PER_CORE = 4

STREAMING_BUCKETS = 32
"""Default buckets of a keyed streaming query: part of the checkpoint, so the same on every machine."""

UNREPEATABLE_SOURCES = frozenset({"socket"})
"""Streaming sources of Spark that cannot read a batch again."""


@dataclass(frozen=True, slots=True)
class Step:
    """A part of the pipeline that runs in one task, without a shuffle.

    Attributes:
        pipeline: The operators of this part.
        shuffle: The keyed operator at the start of the next step, by whose key the results of this step are shuffled;
            None in the last step.
    """

    pipeline: Pipeline[Any, Any]
    shuffle: Operator | None

    def restarting(self) -> list[Operator]:
        """Return the operators whose state restarts in each partition: those with state but without a key."""
        return [each for each in self.pipeline.operators if each.definition.stateful and not each.definition.keyed]


@dataclass(frozen=True, slots=True)
class PipelinePlan:
    """Which operators run where, and with what guarantee.

    Attributes:
        pipeline: All operators.
        steps: The steps, in order.
        rows: Schema of the DataFrame.
        is_streaming: Whether the DataFrame is streaming.
        is_connect: Whether it belongs to Spark Connect.
        form: The form in which rows enter.
        order_by: Columns by which the rows of a key are sorted; empty if the order is undefined.
        buckets: Number of buckets that share the keys.
        on_error: What happens to rows that fail.
        guarantees: What the source, the operators and the sink guarantee when processes die.
        shuffle_partitions: The session's number of shuffle partitions, among which the buckets of a streaming query are
            distributed; a checkpoint keeps the number with which it began.
    """

    pipeline: Pipeline[Any, Any]
    steps: tuple[Step, ...]
    rows: "StructType"
    is_streaming: bool
    is_connect: bool
    form: str
    order_by: tuple[str, ...]
    buckets: int
    on_error: str
    guarantees: tuple[PartGuarantee, ...] = ()
    shuffle_partitions: int = 1

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of the whole pipeline: that of its weakest part."""
        found = weakest(self.guarantees)
        return Guarantee.NONE if found is None else found.guarantee

    @property
    def is_keyed(self) -> bool:
        """Whether rows move between tasks by a key."""
        return len(self.steps) > 1

    def tasks(self, number: int) -> str:
        """Return in words which tasks run a step.

        Args:
            number: The number of the step, from 1.
        """
        if number == 1:
            return "one task per partition of the DataFrame (mapInArrow)"
        if not self.is_streaming:
            return "one task per bucket (mapInArrow)"
        total = self.shuffle_partitions
        return f"{self.buckets} buckets in {min(self.buckets, total)} of {total} tasks (transformWithStateInPandas)"

    @property
    def order(self) -> str:
        """The order of the rows, in words."""
        if not self.is_keyed:
            return "as read within a partition, none between partitions"
        if self.order_by:
            return f"by {', '.join(self.order_by)} within a key, equal rows as read; none between keys"
        return "unordered: within a key as Spark read the rows, which an earlier shuffle may change from run to run"

    def result_schema(self, schema: object) -> "StructType":
        """Return the schema of the result: the checked argument, or by default the schema that the operators imply.

        Raises:
            ArgumentError: The argument cannot be used, or it is None and the operators do not imply a schema.
            ArgumentTypeError: The argument is neither a DDL text nor a `StructType`.
        """
        return known_schema(self.pipeline, self.form, self.rows) if schema is None else checked_schema(schema)

    def restarting(self) -> list[Operator]:
        """Return the operators whose state restarts in each partition: those with state but without a key."""
        return [operator for step in self.steps for operator in step.restarting()]

    def warnings(self) -> list[tuple[str, type[Warning]]]:
        """Return the warnings to give before the result is computed."""
        found: list[tuple[str, type[Warning]]] = []
        if self.is_keyed and not self.order_by:
            message = (
                "a keyed pipeline without order_by is unordered: it gets the rows of a key in the order in which Spark "
                "reads them, which may change from run to run; name the columns to sort by, such as order_by='id'"
            )
            found.append((message, UnorderedWarning))
        for operator in self.restarting():
            message = (
                f"operator {place_of(operator)}, has state but no key: on Spark it starts again in each partition; put "
                "it after key_by(...), or run it in this process on from_dataframe(df)"
            )
            found.append((message, PartitionStateWarning))
        return found

    def __str__(self) -> str:
        lines = []
        for number, step in enumerate(self.steps, 1):
            lines.append(f"step {number}, on the executors, {self.tasks(number)}:")
            for operator in step.pipeline.operators:
                state = remark(operator)
                lines.append(f"  {short_name(operator):<12} {operator.assembly}{state and f'  ({state})'}")
            if step.shuffle is not None:
                lines.append(
                    f"  {'shuffle':<12} by the key of {short_name(step.shuffle)} to one of {self.buckets} buckets, "
                    "then sort"
                )
            elif not step.pipeline.operators:
                lines.append("  (no operators)")
        return "\n".join([*lines, *self.promises()])

    __repr__ = __str__

    def promises(self) -> list[str]:
        """Return the lines of the plan about the rows: their form, their order, those that fail, and the guarantees."""
        return [
            f"rows enter as: {self.form}",
            f"order: {self.order}",
            f"rows that fail: {POLICIES[self.on_error]}",
            f"guarantee: {self.guarantee.value}",
            *(f"  {part}" for part in self.guarantees),
        ]

    def _repr_html_(self) -> str:
        """Return the plan for a notebook: a picture of its steps, and what it promises below."""
        boxes = []
        for number, step in enumerate(self.steps, 1):
            boxes.append(Node(f"step {number}", (f"on the executors, {self.tasks(number)}",)))
            boxes += [
                Node(short_name(each), (remark(each),), f"{Path(each.assembly.file).name}:{each.assembly.line}")
                for each in step.pipeline.operators
            ]
            if step.shuffle is not None:
                key = f"by the key of {short_name(step.shuffle)}"
                boxes.append(Node("shuffle", (key, f"to one of {self.buckets} buckets", "then sort")))
        label = f"A plan for Spark: {', then '.join(box.title for box in boxes)}"
        promises = escape("\n".join(self.promises()))
        return f"{chain_graph(boxes, label=label)}<pre>{promises}</pre>"


def remark(operator: Operator) -> str:
    """Return what the plan says of the state of an operator; nothing where it has none."""
    if operator.definition.keyed:
        return "state per key"
    return "state restarts in each partition" if operator.definition.stateful else ""


def make_plan(
    pipeline: Pipeline[Any, Any],
    df: "DataFrame",
    *,
    as_: object,
    order_by: object,
    buckets: object,
    on_error: object,
    guarantee: object,
    sink: str | None,
) -> PipelinePlan:
    """Check a pipeline, its DataFrame and its settings, and return the plan.

    Args:
        pipeline: As for `apply`, like all other arguments.
        df: The DataFrame.
        as_: Form of the rows.
        order_by: Columns that sort the elements of a key.
        buckets: Number of buckets.
        on_error: What happens to rows that fail.
        guarantee: What must hold when processes die.
        sink: Name of the sink; None if unknown.

    Raises:
        ArgumentError: An argument has an invalid value, an operator cannot run on Spark, an expression does not fit the
            columns, or a part cannot give the `guarantee`.
        ArgumentTypeError: An argument has the wrong type.
        NotSerializableError: A parameter of an operator cannot be sent to another process.
    """
    if not isinstance(pipeline, Pipeline):
        raise ArgumentTypeError(
            f"apply needs a pipeline, got {pipeline!r:.200}; describe one with reactivestreams.pipeline()"
        )
    require_dataframe(df)
    pipeline = without_rails(pipeline)
    rows = df.schema
    form = chosen_form(as_, pipeline, rows)
    require_different_columns(rows)
    columns = checked_columns(order_by, rows)
    count = checked_count("buckets", buckets, default_buckets(df), 1, MAX_BUCKETS)
    policy, wanted = checked_policy(on_error), checked_guarantee(guarantee)
    plan = PipelinePlan(
        pipeline=pipeline,
        steps=cut_into_steps(pipeline),
        rows=rows,
        is_streaming=df.isStreaming,
        is_connect=is_connect(df),
        form=form,
        order_by=columns,
        buckets=count,
        on_error=policy,
        shuffle_partitions=int(df.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1),
    )
    require_runnable(plan)
    require_tolerant(plan)
    require_serializable(pipeline.operators)
    if form == "batches":
        empty_result(plan.steps[0].pipeline, rows)
    plan = replace(plan, guarantees=guarantees_of(plan, df, sink))
    require_guarantee(plan.guarantees, wanted)
    return plan


def without_rails(pipeline: Pipeline[Any, Any]) -> Pipeline[Any, Any]:
    """Put the operators of a rail in the place of `parallel`: Spark runs partitions side by side itself.

    Raises:
        ArgumentError: An operator of a rail keeps a state, which would depend on how many rails there are.
    """
    if not any(operator.definition is Parallel for operator in pipeline.operators):
        return pipeline
    flat = pipeline.slice(0, 0)
    for operator in pipeline.operators:
        if operator.definition is not Parallel:
            flat = flat._add(operator)  # pyright: ignore[reportPrivateUsage]  # pipelines are built with it
            continue
        rail = without_rails(operator.parameters[1])
        for each in rail.operators:
            if each.definition.stateful or each.definition.keyed:
                raise ArgumentError(
                    f"operator {place_of(each)}, keeps a state in each rail of parallel(), and Spark has partitions in "
                    "their place; put it behind sequential(), or leave parallel() and sequential() out"
                )
        flat = flat.through(rail)
    return flat


def cut_into_steps(pipeline: Pipeline[Any, Any]) -> tuple[Step, ...]:
    """Cut a pipeline before each keyed operator."""
    operators = pipeline.operators
    cuts = [index for index, operator in enumerate(operators) if operator.definition.keyed]
    return tuple(
        Step(pipeline.slice(start, stop), operators[stop] if stop < len(operators) else None)
        for start, stop in zip([0, *cuts], [*cuts, len(operators)], strict=True)
    )


def chosen_form(as_: object, pipeline: Pipeline[Any, Any], schema: "StructType") -> str:
    """Return the form in which rows enter: `as_`, or by default the form that the first operator takes.

    Raises:
        ArgumentTypeError: `as_` is not a text.
        ArgumentError: `as_` is not a form, or the first operator does not take it.
    """
    first = next(iter(pipeline.operators), None)
    takes_batches = first is not None and first.definition in BATCH_OPERATORS
    if as_ is None:
        return "batches" if takes_batches else "rows"
    form = checked_form(as_, schema)
    if first is not None and takes_batches and form != "batches":
        raise ArgumentError(
            f"as_={form!r} cannot go with operator {place_of(first)}, which takes Arrow batches; leave as_ out, or "
            "pass 'batches'"
        )
    return form


def require_different_columns(rows: "StructType") -> None:
    """Refuse columns of the same name, which Spark cannot pass to a function."""
    names = rows.fieldNames()
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ArgumentError(
            f"the DataFrame has two columns {twice[0]!r}, which Spark cannot distinguish; rename or drop one first"
        )


def default_buckets(df: "DataFrame") -> int:
    """Return a number of buckets that keeps all cores busy, also if the buckets have unequal sizes."""
    if df.isStreaming:
        return STREAMING_BUCKETS
    if is_connect(df):
        # The number of cores is unknown here.
        return LEAST_DEFAULT_BUCKETS
    cores: int = df.sparkSession.sparkContext.defaultParallelism
    return min(max(LEAST_DEFAULT_BUCKETS, BUCKETS_PER_CORE * cores), MAX_BUCKETS)


NOT_FOR_ROWS: dict[type, str] = {
    **dict.fromkeys(
        (SwitchMap, ExhaustMap), "chooses by when elements come, and the rows of a partition have no such time"
    ),
    **dict.fromkeys(
        (Repeat, RepeatWhen, Retry, RetryWhen), "runs its input anew, and the rows of a partition come once"
    ),
    **dict.fromkeys(
        (GroupBy, GroupByUntil),
        "passes on streams, which cannot leave their task; use key_by(), which has operators for each key",
    ),
    **dict.fromkeys(
        (Window, WindowTimeout, WindowToggle, WindowWhen),
        "passes on streams, which cannot leave their task; use buffer() for lists",
    ),
    OnErrorContinue: "is the argument on_error= on Spark, which counts the rows that it leaves out",
}
"""Operators that mean nothing over the rows of a partition, each with the reason."""


def require_runnable(plan: PipelinePlan) -> None:
    """Refuse folds of all rows, endless operators, what waits, and keys that a query cannot shuffle or store."""
    for operator in plan.pipeline.operators:
        if operator.definition in NOT_FOR_ROWS:
            raise ArgumentError(
                f"operator {place_of(operator)}, {NOT_FOR_ROWS[operator.definition]}; leave it out, or run it here on "
                "from_dataframe(df)"
            )
        if any(isinstance(parameter, Windows) and parameter.late is not None for parameter in operator.parameters):
            raise ArgumentError(
                f"operator {place_of(operator)}, has late=, which would be called in the processes of Spark, and again "
                "where a task is repeated; leave it out, or run it here on from_dataframe(df)"
            )
    for operator in plan.restarting():
        if issubclass(operator.definition, FoldingDefinition):
            raise ArgumentError(
                f"operator {place_of(operator)}, has one result for the whole stream, but on Spark each partition "
                "would have its own result; put it inside key_by(...).through(...), use an aggregate of Spark, or "
                "run it in this process on from_dataframe(df)"
            )
        if operator.definition is Cycle and operator.parameters[0] is None:
            raise ArgumentError(
                f"operator {place_of(operator)}, runs until the subscriber cancels, so a task of Spark would never "
                f"end; state how often, such as {operator.definition.method}(2)"
            )
    keyed = plan.steps[0].shuffle
    if keyed is not None and plan.form == "batches":
        raise ArgumentError(
            f"as_='batches' cannot go with the keyed operator {place_of(keyed)}: the rows of a batch have different "
            "keys; pass as_='tuples', 'dicts' or 'rows', or apply the operators over batches first and the keyed "
            "operators to their result"
        )
    if keyed is not None and plan.is_streaming:
        require_streamable(plan)
    for step in plan.steps:
        unknown = None if step.shuffle is None else first_unnumbered(step.pipeline)
        if unknown is not None:
            raise ArgumentError(
                f"operator {place_of(unknown)}, cannot run before key_by on Spark: it is unknown which row causes "
                "which of its elements, so the order would be lost; put it after the last key_by"
            )


def require_streamable(plan: PipelinePlan) -> None:
    """Refuse what a keyed pipeline on a streaming DataFrame does not support.

    Raises:
        ArgumentError: It has several keyed operators, an operator with state but without a key, or an order by values
            that cannot be compared.
    """
    from pyspark.sql.types import ArrayType, StructType

    second = plan.steps[1].shuffle
    if second is not None:
        raise ArgumentError(
            f"the keyed operator {place_of(second)}, is the second one of the pipeline, but a streaming query stores "
            "the state of one; apply the rest to the result of the first part: apply(rest, apply(first, df, ...), ...)"
        )
    for operator in plan.restarting():
        raise ArgumentError(
            f"operator {place_of(operator)}, has state but no key, so it would start again in each micro-batch; "
            "put it after key_by(...), or inside key_by(...).through(...)"
        )
    for name in plan.order_by:
        if isinstance(plan.rows[name].dataType, (ArrayType, StructType)):
            raise ArgumentError(
                f"order_by names {name!r}, whose type is {plan.rows[name].dataType.simpleString()}; a streaming query "
                "can sort by numbers, texts and times"
            )


def require_tolerant(plan: PipelinePlan) -> None:
    """Refuse operators that cannot leave out a failing row, if `on_error` is not `"fail"`.

    Raises:
        ArgumentError: There is such an operator; the message names it, its line and the remedy.
    """
    if plan.on_error == FAIL:
        return
    refused = f"on_error={plan.on_error!r} cannot go with"
    before, *keyed_steps = plan.steps
    second = keyed_steps[0].shuffle if keyed_steps else None
    if second is not None:
        raise ArgumentError(
            f"{refused} the keyed operator {place_of(second)}, which is the second one: a row that fails there would "
            "have to be removed from the state of the first; apply the operators before it with on_error first, and "
            "the rest to their results"
        )
    intolerant = first_intolerant(before.pipeline)
    if intolerant is not None:
        raise ArgumentError(
            f"{refused} operator {place_of(intolerant)}, which has a state or is not one of this package's; apply the "
            "operators before it with on_error first, and the rest to their results"
        )
    keyed = before.shuffle
    expiry = None if keyed is None else expiry_of(keyed)
    if keyed is not None and expiry is not None and expiry.event_time is None and not plan.is_streaming:
        raise ArgumentError(
            f"{refused} expire_after() by the clock, as in {place_of(keyed)}, on a batch DataFrame: a key that ends "
            "meanwhile could not be computed again; pass event_time=, or leave expire_after out"
        )
    for operator in (operator for step in keyed_steps for operator in step.restarting()):
        raise ArgumentError(
            f"{refused} operator {place_of(operator)}, which has state but no key; put it inside "
            "key_by(...).through(...)"
        )


def expiry_of(keyed: Operator) -> Expiry | None:
    """Return when the keys of a keyed operator expire; None means never."""
    return next((parameter for parameter in keyed.parameters if isinstance(parameter, Expiry)), None)


def times_of(keyed: Operator) -> EventTime | None:
    """Return where the elements of an operator with windows have their times; None where it has no windows."""
    return next((parameter for parameter in keyed.parameters if isinstance(parameter, EventTime)), None)


def lateness_of(keyed: Operator) -> int | None:
    """Return by how many microseconds the watermark is behind the latest time; None where there are no event times."""
    expiry, times = expiry_of(keyed), times_of(keyed)
    if times is not None:
        return times.max_lateness
    return None if expiry is None or expiry.event_time is None else expiry.lateness


def guarantees_of(plan: PipelinePlan, df: "DataFrame", sink: str | None) -> tuple[PartGuarantee, ...]:
    """Return the guarantees of the source, the operators and the sink, in this order.

    Args:
        plan: The plan.
        df: The DataFrame.
        sink: Name of the sink; None if unknown.
    """
    parts = [source_part(plan, df), *operator_parts(plan)]
    if sink is not None:
        parts.append(sink_guarantee(sink))
    return tuple(parts)


def source_part(plan: PipelinePlan, df: "DataFrame") -> PartGuarantee:
    """Return the guarantee of the source of a DataFrame."""
    own = source_guarantee(df)
    if own is not None:
        return own
    if not plan.is_streaming:
        return PartGuarantee("source", Guarantee.EXACTLY_ONCE, "a task that is repeated reads its partition again")
    if plan.is_connect:
        return PartGuarantee(
            "source",
            Guarantee.EXACTLY_ONCE,
            "a source that Spark can replay from its checkpoint; this cannot be checked through Spark Connect",
        )
    bad = next((name for name in streaming_sources(df) if name in UNREPEATABLE_SOURCES), None)
    if bad is not None:
        return PartGuarantee(
            "source",
            Guarantee.NONE,
            f"Spark's source {bad} cannot read a batch again",
            "read from files, Kafka, or to_streaming_dataframe with log=",
        )
    return PartGuarantee("source", Guarantee.EXACTLY_ONCE, "Spark replays it from the offsets in the checkpoint")


def streaming_sources(df: Any) -> list[str]:
    """Return the names of the streaming sources in the plan of a classic DataFrame."""
    return [
        str(relation.sourceName())
        for relation in plan_leaves(df)
        if relation.getClass().getSimpleName() in ("StreamingRelationV2", "StreamingRelation")
        and hasattr(relation, "sourceName")
    ]


def operator_parts(plan: PipelinePlan) -> list[PartGuarantee]:
    """Return the guarantees of the operators: one part for each operator that weakens them, or one part for all."""
    parts = []
    for operator in (operator for step in plan.steps for operator in step.pipeline.operators):
        named = f"operator {place_of(operator)}"
        if operator.definition in (Do, Finally):
            parts.append(
                PartGuarantee(
                    named,
                    Guarantee.AT_LEAST_ONCE,
                    "a task that is repeated repeats the side effects of its functions",
                    "write with a sink that replaces a repeated batch, and leave do() out",
                )
            )
        elif plan.is_streaming and operator.definition.stateful and not operator.definition.keyed:
            parts.append(
                PartGuarantee(
                    named,
                    Guarantee.AT_LEAST_ONCE,
                    "its state starts again in each partition of each micro-batch and is not part of the checkpoint",
                    "put it after key_by(...), which keeps its state in Spark's state store",
                )
            )
    if parts:
        return parts
    reason = "a row counts once in the result, although a task that is repeated calls the functions again"
    return [PartGuarantee("operators", Guarantee.EXACTLY_ONCE, reason)]
