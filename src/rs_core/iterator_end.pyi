from typing_extensions import disjoint_base

from rs_core.stage import Stage

@disjoint_base
class IteratorEnd(Stage): ...
