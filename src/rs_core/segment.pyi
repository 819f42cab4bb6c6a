from typing import final

from typing_extensions import disjoint_base

from rs_core.stage import Stage

@final
@disjoint_base
class Relay(Stage): ...
