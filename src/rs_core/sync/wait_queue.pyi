from typing import final

@final
class Waiter: ...

@final
class WaitingLine: ...
