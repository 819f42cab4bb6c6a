from typing import final

@final
class WaitNode: ...

@final
class WaitQueue: ...
