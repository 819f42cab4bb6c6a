"""The rules as data: complete, in order, bound as the specification binds them, in words of our own."""

import copy
import dataclasses
import hashlib
import re
from pathlib import Path

import pytest

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.spec.rules import RULES, Obligation, Party, Rule, rule
from rs_core.errors import ArgumentError, ArgumentTypeError

CHAPTERS = {1: 11, 2: 13, 3: 17, 4: 2}

# Every rule that is not plainly MUST.
OBLIGATIONS = {
    "1.2": "MAY",
    "1.7": "REQUIRED",
    "1.10": "MAY MUST",
    "1.11": "MAY",
    "2.2": "RECOMMENDED",
    "2.3": "MUST_NOT",
    "3.4": "SHOULD",
    "3.9": "MUST SHOULD",
    "3.10": "MAY",
    "3.11": "MAY",
    "3.14": "MAY",
    "3.17": "MUST MAY",
    "4.2": "MAY MUST",
}

PHRASE_WORDS = 7
REFERENCE_PHRASES = frozenset(
    Path(__file__).with_name("reference_wording.txt").read_text(encoding="ascii").split()
)  # hashes of all runs of seven words in the rules of the JVM, .NET and 1.0.0.RC1 editions


def phrase_hashes(text: str) -> dict[str, str]:
    words = re.findall(r"[a-z0-9]+", text.lower().replace("_", ""))
    phrases = [" ".join(words[start : start + PHRASE_WORDS]) for start in range(len(words) - PHRASE_WORDS + 1)]
    return {hashlib.blake2b(phrase.encode(), digest_size=5).hexdigest(): phrase for phrase in phrases}


def test_every_rule_is_there_once_and_in_order() -> None:
    expected = [f"{chapter}.{number}" for chapter, count in CHAPTERS.items() for number in range(1, count + 1)]
    assert list(RULES) == expected
    assert [found.id for found in RULES.values()] == expected
    assert len(RULES) == 43


@pytest.mark.parametrize("id", RULES)
def test_each_rule_binds_as_strongly_as_in_the_specification(id: str) -> None:
    assert RULES[id].obligation == tuple(Obligation[word] for word in OBLIGATIONS.get(id, "MUST").split())


def test_the_parties_bound_follow_the_chapters_where_the_text_names_no_other() -> None:
    default = {1: Party.PUBLISHER, 2: Party.SUBSCRIBER, 3: Party.SUBSCRIPTION, 4: Party.PROCESSOR}
    others = {id: found.bound for id, found in RULES.items() if found.bound is not default[found.chapter]}
    assert others == {"1.10": Party.CALLER, "2.12": Party.PUBLISHER, "3.1": Party.SUBSCRIBER}


@pytest.mark.parametrize("id", RULES)
def test_text_and_intent_are_sentences(id: str) -> None:
    for sentence in (RULES[id].text, RULES[id].intent):
        assert sentence == " ".join(sentence.split())
        assert sentence.endswith(".")


def test_no_two_rules_have_the_same_text() -> None:
    assert len({found.text for found in RULES.values()}) == 43


@pytest.mark.parametrize("id", RULES)
def test_the_wording_shares_no_run_of_seven_words_with_the_reference(id: str) -> None:
    ours = phrase_hashes(RULES[id].text) | phrase_hashes(RULES[id].intent)
    assert [phrase for digest, phrase in ours.items() if digest in REFERENCE_PHRASES] == []


def test_the_comparison_with_the_reference_recognises_its_wording() -> None:
    reference = "While the Subscription is not cancelled, Subscription.request(long n) MUST register"
    assert set(phrase_hashes(reference)) <= REFERENCE_PHRASES


def test_a_rule_is_found_by_its_id_with_or_without_section_sign() -> None:
    assert rule("3.9") is RULES["3.9"]
    assert rule("§3.9") is RULES["3.9"]


@pytest.mark.parametrize(
    ("id", "remedy"),
    [
        ("3.18", "did you mean 3.8, 3.1 or 3.17?"),
        ("", "ids run from 1.1 to 4.2"),
        ("request", "ids run from 1.1 to 4.2"),
    ],
)
def test_an_unknown_id_is_refused_with_the_nearest_ones(id: str, remedy: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        rule(id)
    assert str(caught.value) == f"there is no rule {id!r}; {remedy}"


@pytest.mark.parametrize("id", [3.1, None, 3])
def test_an_id_that_is_no_string_is_refused(id: object) -> None:
    with pytest.raises(ArgumentTypeError, match=re.escape(f"got {id!r};")):
        rule(id)  # type: ignore[arg-type]


def test_rules_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        RULES["3.9"] = RULES["3.8"]  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        RULES["3.9"].text = "anything goes"  # type: ignore[misc]


def test_rules_compare_by_value_and_survive_copying() -> None:
    assert copy.deepcopy(RULES["4.2"]) == RULES["4.2"]
    assert len({*RULES.values(), *map(copy.copy, RULES.values())}) == 43


def test_a_rule_as_text_gives_id_obligation_party_and_wording() -> None:
    assert str(RULES["1.10"]).startswith("§1.10 (MAY and MUST, binds the caller): subscribe can be called again")
    assert isinstance(RULES["1.10"], Rule)


def test_max_demand_is_the_largest_count_of_64_bits() -> None:
    assert MAX_DEMAND == 9223372036854775807
