from typing import final

from rs_core.stage import Stage

@final
class SignalCheck(Stage): ...
