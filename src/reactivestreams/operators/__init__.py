"""The operators: one class a file that documents one, checks its parameters and names the stage that runs it."""

from reactivestreams.operators.buffer import Buffer
from reactivestreams.operators.definition import OperatorDefinition
from reactivestreams.operators.do import Do
from reactivestreams.operators.filter import Filter
from reactivestreams.operators.flat_map import FlatMap
from reactivestreams.operators.keyed_scan import KeyedScan
from reactivestreams.operators.lift import Lift
from reactivestreams.operators.map import Map
from reactivestreams.operators.map_async import MapAsync
from reactivestreams.operators.observe_on import ObserveOn
from reactivestreams.operators.scan import Scan
from reactivestreams.operators.skip import Skip
from reactivestreams.operators.take import Take

__all__ = [
    "Buffer",
    "Do",
    "Filter",
    "FlatMap",
    "KeyedScan",
    "Lift",
    "Map",
    "MapAsync",
    "ObserveOn",
    "OperatorDefinition",
    "Scan",
    "Skip",
    "Take",
]
