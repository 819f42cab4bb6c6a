from typing_extensions import disjoint_base

from rs_core.errors import StateError
from rs_core.stream.subscription import Stage

@disjoint_base
class IteratorEnd(Stage): ...

def two_tasks_wait() -> StateError: ...
def two_threads_take() -> StateError: ...
