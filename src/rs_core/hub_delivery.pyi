from typing_extensions import disjoint_base

from rs_core.subject_source import SourceKeeper

@disjoint_base
class HubDelivery(SourceKeeper): ...
