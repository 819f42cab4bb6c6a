"""Classes of a program that saves its state, and their registry."""

import enum
from dataclasses import dataclass, field
from decimal import Decimal

from reactivestreams.state import StateRegistry

shop = StateRegistry()


@shop.register(name="shop/color")
class Color(enum.Enum):
    RED = "#f00"
    GREEN = "#0f0"
    SCARLET = RED


@shop.register(name="shop/size")
class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


@shop.register(name="shop/right")
class Right(enum.Flag):
    READ = 1
    WRITE = 2
    SHARE = 4


@shop.register(name="shop/access")
class Access(enum.IntFlag):
    """Takes any number, as an IntFlag does; it has a hole between its bits."""

    SHELF = 1
    TILL = 2
    SAFE = 8


@shop.register(name="shop/article")
@dataclass
class Article:
    number: int
    price: Decimal
    colors: set[Color] = field(default_factory=set)


@shop.register(name="shop/place")
@dataclass(frozen=True, slots=True)
class Place:
    aisle: str
    shelf: int


@shop.register(name="shop/out_of_stock")
class OutOfStockError(Exception):
    def __init__(self, article: int, *, wanted: int) -> None:
        super().__init__(f"no {wanted} of article {article}")
        self.article = article


class UnknownError(Exception):
    """Not registered."""
