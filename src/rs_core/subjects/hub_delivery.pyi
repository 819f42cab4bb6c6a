from typing_extensions import disjoint_base

from rs_core.subjects.source import SourceKeeper

@disjoint_base
class HubDelivery(SourceKeeper): ...
