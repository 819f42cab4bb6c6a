from typing_extensions import disjoint_base

from rs_core.stream.drain_task import DrainTask

@disjoint_base
class DemandOwner(DrainTask):
    def pause(self) -> None: ...
    def resume(self) -> None: ...
    @property
    def is_parked(self) -> bool: ...
