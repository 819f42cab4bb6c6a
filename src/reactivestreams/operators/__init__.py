"""The operators: one class a file that documents one, checks its parameters and names the stage that runs it."""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.operators.buffer": ("Buffer",),
        "reactivestreams.operators.definition": ("OperatorDefinition",),
        "reactivestreams.operators.do": ("Do",),
        "reactivestreams.operators.filter": ("Filter",),
        "reactivestreams.operators.filter_batches": ("FilterBatches",),
        "reactivestreams.operators.flat_map": ("FlatMap",),
        "reactivestreams.operators.keyed": ("Keyed",),
        "reactivestreams.operators.keyed_scan": ("KeyedScan",),
        "reactivestreams.operators.lift": ("Lift",),
        "reactivestreams.operators.map": ("Map",),
        "reactivestreams.operators.map_async": ("MapAsync",),
        "reactivestreams.operators.map_batches": ("MapBatches",),
        "reactivestreams.operators.observe_on": ("ObserveOn",),
        "reactivestreams.operators.project": ("Project",),
        "reactivestreams.operators.scan": ("Scan",),
        "reactivestreams.operators.skip": ("Skip",),
        "reactivestreams.operators.take": ("Take",),
        "reactivestreams.operators.with_columns": ("WithColumns",),
    },
)
