from typing import final

from rs_core.stream.stage import Stage

@final
class SignalCheck(Stage): ...
