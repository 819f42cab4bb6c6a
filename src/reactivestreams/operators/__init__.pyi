from reactivestreams.operators.arrow.filter_batches import FilterBatches
from reactivestreams.operators.arrow.map_batches import MapBatches
from reactivestreams.operators.arrow.project import Project
from reactivestreams.operators.arrow.with_columns import WithColumns
from reactivestreams.operators.backpressure.limit_rate import LimitRate
from reactivestreams.operators.backpressure.limit_weight import LimitWeight
from reactivestreams.operators.backpressure.on_backpressure_batch import OnBackpressureBatch
from reactivestreams.operators.backpressure.on_backpressure_buffer import OnBackpressureBuffer
from reactivestreams.operators.backpressure.on_backpressure_drop import OnBackpressureDrop
from reactivestreams.operators.backpressure.on_backpressure_error import OnBackpressureError
from reactivestreams.operators.backpressure.on_backpressure_latest import OnBackpressureLatest
from reactivestreams.operators.backpressure.on_backpressure_reduce import OnBackpressureReduce
from reactivestreams.operators.backpressure.pause_while import PauseWhile
from reactivestreams.operators.combining.append import Append
from reactivestreams.operators.combining.combine_latest import CombineLatest
from reactivestreams.operators.combining.compress import Compress
from reactivestreams.operators.combining.concat_with import ConcatWith
from reactivestreams.operators.combining.intersperse import Intersperse
from reactivestreams.operators.combining.merge_sorted import MergeSorted
from reactivestreams.operators.combining.merge_with import MergeWith
from reactivestreams.operators.combining.start_with import StartWith
from reactivestreams.operators.combining.then import Then
from reactivestreams.operators.combining.with_latest_from import WithLatestFrom
from reactivestreams.operators.combining.zip_longest import ZipLongest
from reactivestreams.operators.combining.zip_with import ZipWith
from reactivestreams.operators.definition import OperatorDefinition
from reactivestreams.operators.filtering.cast import Cast
from reactivestreams.operators.filtering.distinct import Distinct
from reactivestreams.operators.filtering.distinct_until_changed import DistinctUntilChanged
from reactivestreams.operators.filtering.filter import Filter
from reactivestreams.operators.filtering.filter_indexed import FilterIndexed
from reactivestreams.operators.filtering.ignore_elements import IgnoreElements
from reactivestreams.operators.filtering.of_type import OfType
from reactivestreams.operators.filtering.skip import Skip
from reactivestreams.operators.filtering.skip_last import SkipLast
from reactivestreams.operators.filtering.skip_until import SkipUntil
from reactivestreams.operators.filtering.skip_while import SkipWhile
from reactivestreams.operators.filtering.take import Take
from reactivestreams.operators.filtering.take_last import TakeLast
from reactivestreams.operators.filtering.take_until import TakeUntil
from reactivestreams.operators.filtering.take_while import TakeWhile
from reactivestreams.operators.folding.all import AllMatch
from reactivestreams.operators.folding.any import AnyMatch
from reactivestreams.operators.folding.average import Average
from reactivestreams.operators.folding.collect import Collect
from reactivestreams.operators.folding.contains import Contains
from reactivestreams.operators.folding.count import Count
from reactivestreams.operators.folding.element_at import ElementAt
from reactivestreams.operators.folding.element_at_or_default import ElementAtOrDefault
from reactivestreams.operators.folding.first import First
from reactivestreams.operators.folding.first_or_default import FirstOrDefault
from reactivestreams.operators.folding.is_empty import IsEmpty
from reactivestreams.operators.folding.last import Last
from reactivestreams.operators.folding.last_or_default import LastOrDefault
from reactivestreams.operators.folding.max import Max
from reactivestreams.operators.folding.min import Min
from reactivestreams.operators.folding.reduce import Reduce
from reactivestreams.operators.folding.sequence_equal import SequenceEqual
from reactivestreams.operators.folding.single import Single
from reactivestreams.operators.folding.single_or_default import SingleOrDefault
from reactivestreams.operators.folding.sum import Sum
from reactivestreams.operators.folding.to_dict import ToDict
from reactivestreams.operators.folding.to_list import ToList
from reactivestreams.operators.folding.to_lookup import ToLookup
from reactivestreams.operators.folding.to_set import ToSet
from reactivestreams.operators.keyed.aggregate import KeyedAggregate
from reactivestreams.operators.keyed.buffer import KeyedBuffer
from reactivestreams.operators.keyed.count import KeyedCount
from reactivestreams.operators.keyed.distinct import KeyedDistinct
from reactivestreams.operators.keyed.event_windows import KeyedWindows
from reactivestreams.operators.keyed.group_joins import KeyedGroupJoin
from reactivestreams.operators.keyed.joins import KeyedJoin
from reactivestreams.operators.keyed.keyed import Keyed
from reactivestreams.operators.keyed.reduce import KeyedReduce
from reactivestreams.operators.keyed.scan import KeyedScan
from reactivestreams.operators.keyed.take import KeyedTake
from reactivestreams.operators.recovering.cycle import Cycle
from reactivestreams.operators.recovering.default_if_empty import DefaultIfEmpty
from reactivestreams.operators.recovering.on_error_continue import OnErrorContinue
from reactivestreams.operators.recovering.on_error_map import OnErrorMap
from reactivestreams.operators.recovering.on_error_resume import OnErrorResume
from reactivestreams.operators.recovering.on_error_return import OnErrorReturn
from reactivestreams.operators.recovering.repeat import Repeat
from reactivestreams.operators.recovering.repeat_when import RepeatWhen
from reactivestreams.operators.recovering.retry import Retry
from reactivestreams.operators.recovering.retry_when import RetryWhen
from reactivestreams.operators.recovering.switch_if_empty import SwitchIfEmpty
from reactivestreams.operators.timing.audit import Audit
from reactivestreams.operators.timing.buffer_timeout import BufferTimeout
from reactivestreams.operators.timing.debounce import Debounce
from reactivestreams.operators.timing.delay import Delay
from reactivestreams.operators.timing.delay_subscription import DelaySubscription
from reactivestreams.operators.timing.delay_until import DelayUntil
from reactivestreams.operators.timing.rate_limit import RateLimit
from reactivestreams.operators.timing.sample import Sample
from reactivestreams.operators.timing.skip_for import SkipFor
from reactivestreams.operators.timing.take_for import TakeFor
from reactivestreams.operators.timing.throttle_first import ThrottleFirst
from reactivestreams.operators.timing.throttle_latest import ThrottleLatest
from reactivestreams.operators.timing.time_interval import TimeInterval
from reactivestreams.operators.timing.timeout import Timeout
from reactivestreams.operators.timing.timestamp import Timestamp
from reactivestreams.operators.timing.window_timeout import WindowTimeout
from reactivestreams.operators.transforming.buffer import Buffer
from reactivestreams.operators.transforming.buffer_toggle import BufferToggle
from reactivestreams.operators.transforming.buffer_until import BufferUntil
from reactivestreams.operators.transforming.buffer_when import BufferWhen
from reactivestreams.operators.transforming.buffer_while import BufferWhile
from reactivestreams.operators.transforming.concat_map import ConcatMap
from reactivestreams.operators.transforming.enumerate import Enumerate
from reactivestreams.operators.transforming.exhaust_map import ExhaustMap
from reactivestreams.operators.transforming.expand import Expand
from reactivestreams.operators.transforming.flat_map import FlatMap
from reactivestreams.operators.transforming.flat_map_ordered import FlatMapOrdered
from reactivestreams.operators.transforming.group_by import GroupBy
from reactivestreams.operators.transforming.group_by_until import GroupByUntil
from reactivestreams.operators.transforming.handle import Handle
from reactivestreams.operators.transforming.lift import Lift
from reactivestreams.operators.transforming.map import Map
from reactivestreams.operators.transforming.map_async import MapAsync
from reactivestreams.operators.transforming.map_in_executor import MapInExecutor
from reactivestreams.operators.transforming.map_indexed import MapIndexed
from reactivestreams.operators.transforming.map_not_none import MapNotNone
from reactivestreams.operators.transforming.pairwise import Pairwise
from reactivestreams.operators.transforming.pluck import Pluck
from reactivestreams.operators.transforming.pluck_attr import PluckAttr
from reactivestreams.operators.transforming.scan import Scan
from reactivestreams.operators.transforming.sliding import Sliding
from reactivestreams.operators.transforming.sorted import Sorted
from reactivestreams.operators.transforming.split_when import SplitWhen
from reactivestreams.operators.transforming.starmap import Starmap
from reactivestreams.operators.transforming.switch_map import SwitchMap
from reactivestreams.operators.transforming.window import Window
from reactivestreams.operators.transforming.window_toggle import WindowToggle
from reactivestreams.operators.transforming.window_until import WindowUntil
from reactivestreams.operators.transforming.window_when import WindowWhen
from reactivestreams.operators.utility.checkpoint import Checkpoint
from reactivestreams.operators.utility.dematerialize import Dematerialize
from reactivestreams.operators.utility.do import Do
from reactivestreams.operators.utility.finally_ import Finally
from reactivestreams.operators.utility.log import Log
from reactivestreams.operators.utility.materialize import Materialize
from reactivestreams.operators.utility.observe_on import ObserveOn
from reactivestreams.operators.utility.parallel import Parallel
from reactivestreams.operators.utility.progress import Progress
from reactivestreams.operators.utility.recorded import Recorded
from reactivestreams.operators.utility.subscribe_on import SubscribeOn
from reactivestreams.operators.utility.tap import Tap

__all__ = [
    "AllMatch",
    "AnyMatch",
    "Append",
    "Audit",
    "Average",
    "Buffer",
    "BufferTimeout",
    "BufferToggle",
    "BufferUntil",
    "BufferWhen",
    "BufferWhile",
    "Cast",
    "Checkpoint",
    "Collect",
    "CombineLatest",
    "Compress",
    "ConcatMap",
    "ConcatWith",
    "Contains",
    "Count",
    "Cycle",
    "Debounce",
    "DefaultIfEmpty",
    "Delay",
    "DelaySubscription",
    "DelayUntil",
    "Dematerialize",
    "Distinct",
    "DistinctUntilChanged",
    "Do",
    "ElementAt",
    "ElementAtOrDefault",
    "Enumerate",
    "ExhaustMap",
    "Expand",
    "Filter",
    "FilterBatches",
    "FilterIndexed",
    "Finally",
    "First",
    "FirstOrDefault",
    "FlatMap",
    "FlatMapOrdered",
    "GroupBy",
    "GroupByUntil",
    "Handle",
    "IgnoreElements",
    "Intersperse",
    "IsEmpty",
    "Keyed",
    "KeyedAggregate",
    "KeyedBuffer",
    "KeyedCount",
    "KeyedDistinct",
    "KeyedGroupJoin",
    "KeyedJoin",
    "KeyedReduce",
    "KeyedScan",
    "KeyedTake",
    "KeyedWindows",
    "Last",
    "LastOrDefault",
    "Lift",
    "LimitRate",
    "LimitWeight",
    "Log",
    "Map",
    "MapAsync",
    "MapBatches",
    "MapInExecutor",
    "MapIndexed",
    "MapNotNone",
    "Materialize",
    "Max",
    "MergeSorted",
    "MergeWith",
    "Min",
    "ObserveOn",
    "OfType",
    "OnBackpressureBatch",
    "OnBackpressureBuffer",
    "OnBackpressureDrop",
    "OnBackpressureError",
    "OnBackpressureLatest",
    "OnBackpressureReduce",
    "OnErrorContinue",
    "OnErrorMap",
    "OnErrorResume",
    "OnErrorReturn",
    "OperatorDefinition",
    "Pairwise",
    "Parallel",
    "PauseWhile",
    "Pluck",
    "PluckAttr",
    "Progress",
    "Project",
    "RateLimit",
    "Recorded",
    "Reduce",
    "Repeat",
    "RepeatWhen",
    "Retry",
    "RetryWhen",
    "Sample",
    "Scan",
    "SequenceEqual",
    "Single",
    "SingleOrDefault",
    "Skip",
    "SkipFor",
    "SkipLast",
    "SkipUntil",
    "SkipWhile",
    "Sliding",
    "Sorted",
    "SplitWhen",
    "Starmap",
    "StartWith",
    "SubscribeOn",
    "Sum",
    "SwitchIfEmpty",
    "SwitchMap",
    "Take",
    "TakeFor",
    "TakeLast",
    "TakeUntil",
    "TakeWhile",
    "Tap",
    "Then",
    "ThrottleFirst",
    "ThrottleLatest",
    "TimeInterval",
    "Timeout",
    "Timestamp",
    "ToDict",
    "ToList",
    "ToLookup",
    "ToSet",
    "Window",
    "WindowTimeout",
    "WindowToggle",
    "WindowUntil",
    "WindowWhen",
    "WithColumns",
    "WithLatestFrom",
    "ZipLongest",
    "ZipWith",
]
