"""What the names of other libraries are here: the page of names, and the table for the error of a missing attribute.

The names stand in ci/names/libraries.toml. What they are here is said by the docstrings of the operators (`Elsewhere`),
by methods of the same name, and for the rest by ci/names/answers.toml. ci/generate_operators.py writes the files.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

FOLDER = Path(__file__).resolve().parent / "names"

COLUMNS = ("reactor", "rxjava", "reactivex")
"""The libraries in the order in which `Elsewhere` names them."""

OTHER = "other"
"""The key of libraries whose names are not listed in full."""

THEIRS = re.compile(r"(?<=`)(?:Flux\.|Mono\.|Flowable\.)?([a-z]\w*)(?=[`( ])(?!`? of a `Mono`)")
"""The names in a cell; `MathFlux.max` and the like are of no class whose names are listed."""

LISTED_ALONE = re.compile(r"`[\w.]+`(?:, `[\w.]+`)*")
"""A cell with names, each of which does the same."""

PAGE = """\
# Names of other libraries

Every public operator, source and terminal operation of four libraries, and what it is here: a method of `Stream`, not
yet here, or left out for a reason. What differs beside names stands in [a guide](../guides/migrate.md). The error for a
missing attribute says the same:

```python
>>> from reactivestreams import Stream
>>> Stream.just(1).blockFirst()
Traceback (most recent call last):
    ...
AttributeError: Stream has no 'blockFirst'; it is first() here
```

<!-- Written by ci/generate_operators.py; change ci/names/answers.toml or the docstring of an operator. -->

"""


class NamesError(ValueError):
    """A name without an answer, or with two."""


class Operator(Protocol):
    """What is read of a definition."""

    @property
    def method_name(self) -> str: ...
    @property
    def call(self) -> str: ...
    @property
    def elsewhere(self) -> tuple[str, str, str]: ...


@dataclass(frozen=True)
class Answer:
    """What a name is here: calls; or, without any, why there are none: a key of the texts in answers.toml."""

    calls: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class Library:
    """A library, and what each of its names is here."""

    title: str
    read: str
    answers: Mapping[str, Answer]


@dataclass(frozen=True)
class Names:
    """All libraries by their keys, the last one those that are not listed in full; and what keys of answers say."""

    libraries: Mapping[str, Library]
    texts: Mapping[str, str]


def snake(name: str) -> str:
    """Return a name as Python writes it."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def names(found: Sequence[Operator], ours: Iterable[str], folder: Path = FOLDER) -> Names:
    """Return the libraries with an answer for each of their names.

    Args:
        found: The definitions of the operators that are methods of `Stream`.
        ours: The names of its other methods; those that are called on the class begin with `Stream.`.
        folder: Where the names and the answers are stored.

    Raises:
        NamesError: A name has no answer or two, or an answer or an operator names what a library has not.
    """
    listed = tomllib.loads((folder / "libraries.toml").read_text(encoding="utf-8"))
    said = tomllib.loads((folder / "answers.toml").read_text(encoding="utf-8"))
    calls = {name.rpartition(".")[2]: name if "." in name else f"{name}()" for name in ours}
    calls |= {operator.method_name: operator.call for operator in found}
    libraries = {}
    for key, library in listed.items():
        title, known = library["title"], set(library["names"])
        cells = [(one.elsewhere[COLUMNS.index(key)], one.call) for one in found] if key in COLUMNS else []
        stated = _stated(key, said, calls)
        for where, theirs in [("answers.toml", stated), *((call, _theirs(cell)) for cell, call in cells)]:
            if unknown := sorted({*theirs} - known):
                raise NamesError(f"{where} names {', '.join(unknown)}, which {title} has not; correct it")
        answers = {name: _answer(name, stated, cells, calls) for name in library["names"]}
        if missing := [name for name, answer in answers.items() if answer is None]:
            raise NamesError(
                f"{', '.join(missing)} of {title}: nothing says what it is here; say it in answers.toml, or in the "
                "`Elsewhere` of an operator"
            )
        libraries[key] = Library(title, library["read"], {name: one for name, one in answers.items() if one})
    libraries[OTHER] = Library("Others", "", _stated(OTHER, said, calls))
    plans = {key: f"not here yet: {text}" for key, text in said["plans"].items()}
    reasons = {key: f"left out: {text}" for key, text in said["reasons"].items()}
    return Names(libraries, plans | reasons)


def _theirs(cell: str) -> list[str]:
    """Return the names of a library in a cell of its own; behind `none` a cell tells of other libraries."""
    return [] if cell.startswith("none") else THEIRS.findall(cell)


def _stated(key: str, said: Mapping[str, Any], calls: Mapping[str, str]) -> dict[str, Answer]:
    """Return what answers.toml says of the names of a library."""
    answers: dict[str, Answer] = {}
    entries = [(name, _here(value, calls)) for name, value in said[key]["here"].items()]
    for kind, texts in (("planned", "plans"), ("left_out", "reasons")):
        for why, theirs in said[key].get(kind, {}).items():
            if why not in said[texts]:
                raise NamesError(f"answers.toml, {key}.{kind}: {why} has no text in [{texts}]; write it")
            entries += [(name, Answer(why=why)) for name in theirs]
    for name, answer in entries:
        if name in answers:
            raise NamesError(f"answers.toml says twice what {name} of {key} is; take one of them out")
        answers[name] = answer
    return answers


def _here(value: str | list[str], calls: Mapping[str, str]) -> Answer:
    return Answer(tuple(calls.get(call, call) for call in ([value] if isinstance(value, str) else value)))


def _answer(
    name: str, stated: Mapping[str, Answer], cells: Sequence[tuple[str, str]], calls: Mapping[str, str]
) -> Answer | None:
    found, said = _found(name, cells, calls), stated.get(name)
    if said is None:
        return found
    if said == found:
        raise NamesError(f"answers.toml says of {name} what is known without it, {found.calls}; take it out")
    if not said.calls and any(f"`{name}`" == cell for cell, _ in cells):
        raise NamesError(f"answers.toml says of {name} that it is not here, and an operator that it is it; correct one")
    return said


def _found(name: str, cells: Sequence[tuple[str, str]], calls: Mapping[str, str]) -> Answer | None:
    """Return what `Elsewhere` says of the name, else the method that has the same."""
    own = calls.get(snake(name))
    among = [(cell, call) for cell, call in cells if name in _theirs(cell)]
    alone = [call for cell, call in among if LISTED_ALONE.fullmatch(cell)]
    if own is not None and (own in alone or not alone):
        return Answer((own,))
    return Answer(tuple(alone or [call for _, call in among])) if among else None


# --- writing --------------------------------------------------------------------------------------------------------


def page(all_names: Names) -> str:
    """Return the page of names."""
    rows = ["| library | names | here | not yet | left out |", "|---|---:|---:|---:|---:|"]
    tables = []
    for library in all_names.libraries.values():
        cells = {name: _cell(answer, all_names.texts) for name, answer in library.answers.items()}
        if library.read:
            starts = [
                sum(cell.startswith(start) for cell in cells.values()) for start in ("`", "not here yet", "left out")
            ]
            rows.append(f"| {library.read} | {' | '.join(map(str, (len(cells), *starts)))} |")
        about = [] if library.read else ["Some names of RxJS, LINQ, itertools, more_itertools and others:", ""]
        tables += [
            f"## {library.title}",
            "",
            *about,
            f"| {library.title if library.read else 'another library'} | here |",
            "|---|---|",
        ]
        tables += [f"| `{name}` | {cells[name]} |" for name in sorted(cells, key=str.lower)]
        tables += [""]
    return PAGE + "\n".join([*rows, "", *tables]).rstrip() + "\n"


def _cell(answer: Answer, texts: Mapping[str, str]) -> str:
    return ", ".join(f"`{call}`" for call in answer.calls) or texts[answer.why]


def sources(all_names: Names, ours: Iterable[str]) -> list[str]:
    """Return the rows of the guide that say what our sources are in three libraries."""
    rows = ["| Reactor | RxJava | reactivex | here |", "|---|---|---|---|"]
    for source in ours:
        answers = (all_names.libraries[key].answers for key in COLUMNS)
        cells = (", ".join(f"`{name}`" for name, answer in one.items() if source in answer.calls) for one in answers)
        rows.append(f"| {' | '.join(cell or 'none' for cell in cells)} | `{source}` |")
    return rows


def table(all_names: Names, ours: set[str], written_by: str) -> str:
    """Return the module that is looked up for a missing attribute; a name in `ours` means something here."""
    here: dict[str, list[str]] = {}
    absent: dict[str, str] = {}
    for library in all_names.libraries.values():
        for name, answer in library.answers.items():
            if snake(name) not in ours:
                known = here.setdefault(snake(name), []) if answer.calls else []
                known += [call for call in answer.calls if call not in known]
                absent |= {snake(name): answer.why} if answer.why else {}
    lines = [f'"""What the names of other libraries are here, as Python writes names.\n\n{written_by}\n"""', ""]
    lines += ["NAMES_ELSEWHERE: dict[str, tuple[str, ...]] = {"]
    for name in sorted(here):
        first, *others = map(json.dumps, here[name])
        line = f'    "{name}": ({first},),'
        lines += (
            [f'    "{name}": (', *(f"        {call}," for call in (first, *others)), "    ),"] if others else [line]
        )
    lines += ["}", "", "NOT_HERE: dict[str, str] = {"]
    lines += [f'    "{name}": "{absent[name]}",' for name in sorted(absent.keys() - here.keys())]
    lines += ["}", "", "REASONS: dict[str, str] = {"]
    lines += [f'    "{why}": {json.dumps(text.replace("`", ""))},' for why, text in sorted(all_names.texts.items())]
    return "\n".join([*lines, "}"]) + "\n"
