"""The operators: one class a file that documents one, checks its parameters and names the stage that runs it."""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.operators.arrow.filter_batches": ("FilterBatches",),
        "reactivestreams.operators.arrow.map_batches": ("MapBatches",),
        "reactivestreams.operators.arrow.project": ("Project",),
        "reactivestreams.operators.arrow.with_columns": ("WithColumns",),
        "reactivestreams.operators.combining.combine_latest": ("CombineLatest",),
        "reactivestreams.operators.combining.merge_with": ("MergeWith",),
        "reactivestreams.operators.combining.with_latest_from": ("WithLatestFrom",),
        "reactivestreams.operators.combining.zip_longest": ("ZipLongest",),
        "reactivestreams.operators.combining.zip_with": ("ZipWith",),
        "reactivestreams.operators.definition": ("OperatorDefinition",),
        "reactivestreams.operators.filtering.filter": ("Filter",),
        "reactivestreams.operators.filtering.skip": ("Skip",),
        "reactivestreams.operators.filtering.take": ("Take",),
        "reactivestreams.operators.keyed.keyed": ("Keyed",),
        "reactivestreams.operators.keyed.scan": ("KeyedScan",),
        "reactivestreams.operators.transforming.buffer": ("Buffer",),
        "reactivestreams.operators.transforming.concat_map": ("ConcatMap",),
        "reactivestreams.operators.transforming.flat_map": ("FlatMap",),
        "reactivestreams.operators.transforming.flat_map_ordered": ("FlatMapOrdered",),
        "reactivestreams.operators.transforming.lift": ("Lift",),
        "reactivestreams.operators.transforming.map": ("Map",),
        "reactivestreams.operators.transforming.map_async": ("MapAsync",),
        "reactivestreams.operators.transforming.scan": ("Scan",),
        "reactivestreams.operators.utility.do": ("Do",),
        "reactivestreams.operators.utility.observe_on": ("ObserveOn",),
    },
)
