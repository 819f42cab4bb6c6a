from typing_extensions import disjoint_base

from rs_core.hub_delivery import HubDelivery

@disjoint_base
class HubSources(HubDelivery): ...
