from typing_extensions import disjoint_base

from rs_core.subjects.hub_delivery import HubDelivery

@disjoint_base
class HubSources(HubDelivery): ...
