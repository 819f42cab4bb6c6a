from reactivestreams.operators.arrow.filter_batches import FilterBatches
from reactivestreams.operators.arrow.map_batches import MapBatches
from reactivestreams.operators.arrow.project import Project
from reactivestreams.operators.arrow.with_columns import WithColumns
from reactivestreams.operators.combining.combine_latest import CombineLatest
from reactivestreams.operators.combining.merge_with import MergeWith
from reactivestreams.operators.combining.with_latest_from import WithLatestFrom
from reactivestreams.operators.combining.zip_longest import ZipLongest
from reactivestreams.operators.combining.zip_with import ZipWith
from reactivestreams.operators.definition import OperatorDefinition
from reactivestreams.operators.filtering.filter import Filter
from reactivestreams.operators.filtering.skip import Skip
from reactivestreams.operators.filtering.take import Take
from reactivestreams.operators.keyed.keyed import Keyed
from reactivestreams.operators.keyed.scan import KeyedScan
from reactivestreams.operators.transforming.buffer import Buffer
from reactivestreams.operators.transforming.concat_map import ConcatMap
from reactivestreams.operators.transforming.flat_map import FlatMap
from reactivestreams.operators.transforming.flat_map_ordered import FlatMapOrdered
from reactivestreams.operators.transforming.lift import Lift
from reactivestreams.operators.transforming.map import Map
from reactivestreams.operators.transforming.map_async import MapAsync
from reactivestreams.operators.transforming.scan import Scan
from reactivestreams.operators.utility.do import Do
from reactivestreams.operators.utility.observe_on import ObserveOn

__all__ = [
    "Buffer",
    "CombineLatest",
    "ConcatMap",
    "Do",
    "Filter",
    "FilterBatches",
    "FlatMap",
    "FlatMapOrdered",
    "Keyed",
    "KeyedScan",
    "Lift",
    "Map",
    "MapAsync",
    "MapBatches",
    "MergeWith",
    "ObserveOn",
    "OperatorDefinition",
    "Project",
    "Scan",
    "Skip",
    "Take",
    "WithColumns",
    "WithLatestFrom",
    "ZipLongest",
    "ZipWith",
]
