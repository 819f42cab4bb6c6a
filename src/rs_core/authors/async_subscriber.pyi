from types import GenericAlias
from typing import ClassVar, Generic, Protocol, TypeVar

from typing_extensions import disjoint_base

from rs_core.authors.async_subscriber_stages import HookSource
from rs_core.authors.subscriber import BaseSubscriber

_T_contra = TypeVar("_T_contra", contravariant=True)

class _Scheduler(Protocol):
    def schedule(self, task: HookSource, /) -> object: ...

@disjoint_base
class AsyncBaseSubscriber(BaseSubscriber[_T_contra], Generic[_T_contra]):
    prefetch: ClassVar[int]
    def __init__(self, *args: object, scheduler: _Scheduler, **kwargs: object) -> None: ...
    def __class_getitem__(cls, item: object, /) -> GenericAlias: ...
