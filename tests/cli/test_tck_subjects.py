"""A subject is found by module or by file, and what cannot be judged is refused in the words of the user."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reactivestreams.cli.usage_error import UsageError
from reactivestreams.cli.verification.kinds import KINDS, Factories, verification_of
from reactivestreams.cli.verification.loading import load
from reactivestreams.cli.verification.subjects import find_subjects
from reactivestreams.tck import PublisherVerification

CODE = """
from reactivestreams import Stream
from reactivestreams.tck import PublisherVerification

def numbers(elements):
    return Stream.range(elements)

class FirstVerification(PublisherVerification):
    def create_publisher(self, elements):
        return numbers(elements)

class SecondVerification(FirstVerification):
    pass

class _Shared(PublisherVerification):
    pass

ready = FirstVerification()
length = 3
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a module `certified`, in which the command runs."""
    (tmp_path / "certified.py").write_text(CODE)
    (tmp_path / "broken.py").write_text("import neighbor\nraise OSError('no disk')")
    (tmp_path / "lacking.py").write_text("import package_that_nobody_has")
    (tmp_path / "neighbor.py").write_text("")
    (tmp_path / "empty.py").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


def targets(text: str, **given: object) -> list[str]:
    return [subject.target for subject in find_subjects(text, Factories(**given))]  # type: ignore[arg-type]


@pytest.mark.parametrize("place", ["certified", "certified.py", "./certified.py"])
def test_module_and_file_lead_to_the_same_verifications(folder: Path, place: str) -> None:
    assert targets(place) == [f"{place}:FirstVerification", f"{place}:SecondVerification"]
    assert targets(f"{place}:SecondVerification") == [f"{place}:SecondVerification"]
    assert targets(f"{place}:numbers") == [f"{place}:numbers"]


def test_instance_of_a_verification_is_taken_as_it_is(folder: Path) -> None:
    (subject,) = find_subjects("certified:ready", Factories())
    assert type(subject.verification).__name__ == subject.name == "FirstVerification"


def test_factory_makes_the_subject_of_its_kind(folder: Path) -> None:
    (subject,) = find_subjects("certified:numbers", Factories(hooks={"max_elements": 7, "failed": list}))
    verification = subject.verification()
    assert (subject.name, isinstance(verification, PublisherVerification)) == ("numbers", True)
    assert verification.create_publisher(2).to_list() == [0, 1]
    assert verification.max_elements_from_publisher() == 7
    assert verification.create_failed_publisher() == []
    message = "numbers.create_publisher(1) returned None"
    assert subject.in_words_of_the_user(message) == "certified:numbers(1) returned None"


def test_dotted_name_is_followed(folder: Path) -> None:
    assert load("certified:FirstVerification.create_publisher").value.__name__ == "create_publisher"


def test_file_finds_its_neighbors_and_takes_no_other_modules_place(folder: Path) -> None:
    (folder / "json.py").write_text("import neighbor\nhere = True")
    assert load("json.py:here").value is True
    assert not hasattr(sys.modules["json"], "here")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "nowhere:x",
            "there is no module 'nowhere'; run the command where it can be imported, or give path/to/file.py",
        ),
        ("certified.more:x", "there is no module 'certified.more'"),
        ("nowhere.py:x", "there is no file nowhere.py; give path/to/file.py:name, or module:name"),
        ("certified:digits", "certified has no digits; it has numbers, FirstVerification, SecondVerification"),
        ("empty:x", "empty has no x; it defines nothing that can be called"),
        ("empty", "empty defines no verification; give empty:factory, or define a subclass of PublisherVerification"),
        ("lacking:x", "importing lacking raised ModuleNotFoundError: No module named 'package_that_nobody_has'"),
        ("broken:x", "importing broken raised OSError: no disk; --debug shows where"),
        ("broken.py:x", "importing broken.py raised OSError: no disk; --debug shows where"),
        ("certified:", "'certified:' is not a subject; give module:name, or path/to/file.py:name"),
        ("../certified", "'../certified' is not a name in a module; give module:name, or path/to/file.py:name"),
        ("certified:length", "certified:length is a int, which cannot be called; a publisher's factory is called with"),
    ],
)
def test_what_leads_to_no_subject_is_refused(folder: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_subjects(text, Factories())
    assert str(caught.value).startswith(message)


def test_factory_of_another_kind_is_refused_with_its_parameters() -> None:
    def make() -> None:
        """Make nothing."""

    with pytest.raises(UsageError) as caught:
        verification_of(make, Factories(), shown="here:make")
    assert str(caught.value) == (
        "here:make() -> None cannot be called with the number of elements, as a publisher's factory is; change its "
        "parameters, or pass another --kind"
    )


def test_callable_without_a_signature_is_tried() -> None:
    verification, _ = verification_of(range, Factories(), shown="builtins:range")
    assert verification().create_publisher(3) == range(3)


@pytest.mark.parametrize(
    "kind", [kind for kinds in KINDS.values() for kind in kinds], ids=lambda kind: kind.verification
)
def test_every_kind_stands_for_a_factory_of_its_verification(kind: object) -> None:
    assert callable(getattr(kind.base, kind.factory))  # type: ignore[attr-defined]
