from reactivestreams.operators.buffer import Buffer
from reactivestreams.operators.definition import OperatorDefinition
from reactivestreams.operators.do import Do
from reactivestreams.operators.filter import Filter
from reactivestreams.operators.filter_batches import FilterBatches
from reactivestreams.operators.flat_map import FlatMap
from reactivestreams.operators.keyed import Keyed
from reactivestreams.operators.keyed_scan import KeyedScan
from reactivestreams.operators.lift import Lift
from reactivestreams.operators.map import Map
from reactivestreams.operators.map_async import MapAsync
from reactivestreams.operators.map_batches import MapBatches
from reactivestreams.operators.observe_on import ObserveOn
from reactivestreams.operators.project import Project
from reactivestreams.operators.scan import Scan
from reactivestreams.operators.skip import Skip
from reactivestreams.operators.take import Take
from reactivestreams.operators.with_columns import WithColumns

__all__ = [
    "Buffer",
    "Do",
    "Filter",
    "FilterBatches",
    "FlatMap",
    "Keyed",
    "KeyedScan",
    "Lift",
    "Map",
    "MapAsync",
    "MapBatches",
    "ObserveOn",
    "OperatorDefinition",
    "Project",
    "Scan",
    "Skip",
    "Take",
    "WithColumns",
]
