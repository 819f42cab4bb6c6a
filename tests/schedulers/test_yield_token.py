"""Yield tokens: equal by source, hashable, following their source both ways."""

from reactivestreams.schedulers import YieldToken


class Source:
    is_yield_requested = False


def test_token_without_a_source_never_asks() -> None:
    assert (YieldToken.NEVER.is_yield_requested, hash(YieldToken.NEVER)) == (False, 0)


def test_token_follows_its_source_both_ways() -> None:
    source = Source()
    token = YieldToken(source)
    seen = []
    for answer in (False, True, False):
        source.is_yield_requested = answer
        seen.append(token.is_yield_requested)
    assert seen == [False, True, False]


def test_tokens_are_equal_by_their_source() -> None:
    one, other = Source(), Source()
    assert YieldToken(one) == YieldToken(one)
    assert hash(YieldToken(one)) == hash(YieldToken(one))
    assert YieldToken(one) != YieldToken(other)
    assert YieldToken(one) != YieldToken.NEVER
    assert YieldToken(None) == YieldToken.NEVER
    assert YieldToken.NEVER != "YieldToken.NEVER"


def test_token_shows_its_source() -> None:
    assert repr(YieldToken.NEVER) == "YieldToken.NEVER"
    assert repr(YieldToken(None)) == "YieldToken.NEVER"
    assert repr(YieldToken(Source())).startswith("YieldToken(<")
