"""Settings of an engine: bounds for the operators of all its queries, by the ids that the reference knows."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from rs_core.stream.description import Description, new_head

__all__ = ["SETTINGS", "Setting", "checked_settings", "within_settings"]

PREFIX = "rx://operators/"


@dataclass(frozen=True, slots=True)
class Setting:
    """What a setting bounds: an operator gets the bound in place of a larger parameter.

    Where the parameter says how many elements are in a list, not how many there may be, a query is refused instead; so
    it is where lists or windows overlap too often, which `skip` says together with `count`.

    Attributes:
        parameters: The bounded parameter of each operator, by the operator's id.
    """

    parameters: Mapping[str, str]


SETTINGS: dict[str, Setting] = {
    f"{PREFIX}toList/settings/maxListSize": Setting({f"{PREFIX}to_list": "max_elements"}),
    f"{PREFIX}distinct/settings/maxDistinctElements": Setting(
        {f"{PREFIX}distinct_by_key": "max_keys", f"{PREFIX}keyed_distinct": "max_values"}
    ),
    f"{PREFIX}buffer/settings/maxBufferSize": Setting(
        {
            f"{PREFIX}buffer": "count",
            f"{PREFIX}buffer_timeout": "count",
            f"{PREFIX}buffer_toggle": "max_elements",
            f"{PREFIX}buffer_until": "max_elements",
            f"{PREFIX}buffer_when": "max_elements",
            f"{PREFIX}buffer_while": "max_elements",
            f"{PREFIX}keyed_buffer": "count",
            f"{PREFIX}split_when": "max_elements",
        }
    ),
    f"{PREFIX}buffer/settings/maxBufferCount": Setting({f"{PREFIX}buffer": "skip"}),
    f"{PREFIX}window/settings/maxWindowCount": Setting(
        {
            f"{PREFIX}window": "skip",
            f"{PREFIX}window_timeout": "max_windows",
            f"{PREFIX}window_toggle": "max_windows",
            f"{PREFIX}window_until": "max_windows",
            f"{PREFIX}window_when": "max_windows",
        }
    ),
    f"{PREFIX}groupBy/settings/maxGroupCount": Setting(
        {
            f"{PREFIX}group_by": "max_groups",
            f"{PREFIX}group_by_until": "max_groups",
        }
        | {
            f"{PREFIX}{each}": "max_keys"
            for each in (
                "keyed",
                "keyed_aggregate",
                "keyed_buffer",
                "keyed_count",
                "keyed_distinct",
                "keyed_reduce",
                "keyed_scan",
                "keyed_take",
            )
        }
    ),
    f"{PREFIX}bind/settings/maxConcurrentInnerSubscriptionCount": Setting(
        {f"{PREFIX}{each}": "concurrency" for each in ("flat_map", "flat_map_ordered", "expand")}
    ),
}
"""The settings that operators of this package have, by their ids.

`buffer_when` and `buffer_toggle` wait where a list is full, and flattening operators let further inner streams wait.
The others fail.
"""


def checked_settings(settings: Mapping[str, object]) -> Mapping[str, object]:
    """Return settings, checked.

    Raises:
        ArgumentTypeError: They are no mapping of texts, or a bound is no integer.
        ArgumentError: A bound is not positive, or the id of a setting of an operator is not known.
    """
    if not isinstance(settings, Mapping):
        raise ArgumentTypeError(
            f"Engine(settings) needs a mapping of ids, got {settings!r} ({type(settings).__name__}); "
            f"pass e.g. {{{next(iter(SETTINGS))!r}: 1000}}"
        )
    for setting_id, value in settings.items():
        if not isinstance(setting_id, str):
            raise ArgumentTypeError(f"Engine(settings) needs ids that are texts, got {setting_id!r}; pass e.g. 'my/id'")
        if setting_id in SETTINGS:
            if type(value) is not int:
                raise ArgumentTypeError(
                    f"Engine(settings) needs an integer for {setting_id!r}, got {value!r} ({type(value).__name__}); "
                    f"pass a number from 1"
                )
            if value < 1:
                raise ArgumentError(
                    f"Engine(settings) needs a number larger than zero for {setting_id!r}, got {value}; leave it out "
                    f"for no bound"
                )
        elif setting_id.startswith(PREFIX):
            near = difflib.get_close_matches(setting_id, SETTINGS, n=1)
            raise ArgumentError(
                f"Engine(settings): no operator has the setting {setting_id!r}; "
                + (f"did you mean {near[0]!r}?" if near else f"there are {', '.join(SETTINGS)}")
            )
    return dict(settings)


def within_settings(artifact_id: str, stream: Any, settings: Mapping[str, object]) -> Any:
    """Return a stream whose operators keep within the bounds that are set; those among the parameters, too.

    Raises:
        ArgumentError: An operator is sure to exceed one.
    """
    bounds = [(each, SETTINGS[each], cast("int", settings[each])) for each in settings if each in SETTINGS]
    return _bounded(artifact_id, stream, bounds) if bounds else stream


def _bounded(artifact_id: str, stream: Description, bounds: list[tuple[str, Setting, int]]) -> Any:
    bounded: Any = None
    for node in stream.nodes():
        parameters = tuple(_bounded_inputs(artifact_id, parameter, bounds) for parameter in node.parameters)
        for setting_id, setting, bound in bounds:
            parameters = _bounded_parameters(artifact_id, node, parameters, setting_id, setting, bound)
        if bounded is None:
            bounded = new_head(type(stream), node.definition, parameters)
        else:
            bounded = bounded._then(node.definition, parameters, node.assembly)
    return bounded


def _bounded_inputs(artifact_id: str, parameter: Any, bounds: list[tuple[str, Setting, int]]) -> Any:
    if isinstance(parameter, Description):
        return _bounded(artifact_id, parameter, bounds)
    inputs: Any = parameter  # for pyright, which narrows it to a tuple of what it does not know
    if type(parameter) is tuple:
        return tuple(_bounded_inputs(artifact_id, each, bounds) for each in inputs)
    return parameter


def _bounded_parameters(
    artifact_id: str, node: Description, parameters: tuple[Any, ...], setting_id: str, setting: Setting, bound: int
) -> tuple[Any, ...]:
    definition = node.definition
    name = setting.parameters.get(definition.id)
    if name is None:
        return parameters
    names = definition.parameter_names()
    place = names.index(name)
    value = parameters[place]
    if name == "skip":
        value = -(-parameters[names.index("count")] // value)  # that many overlap
    if value is not None and value <= bound:
        return parameters
    if name in ("count", "skip"):
        raise ArgumentError(
            f"define({artifact_id!r}): {definition.method} assembled at {node.assembly} needs {value} "
            f"({name}={parameters[place]}), and the setting {setting_id} of the engine allows {bound}; ask for "
            f"less, or raise the setting"
        )
    return (*parameters[:place], bound, *parameters[place + 1 :])
