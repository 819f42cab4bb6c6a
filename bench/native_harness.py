"""What is measured without Python: the loops of the native tests, compiled with optimization."""

from pathlib import Path
from types import SimpleNamespace

from tests.native.compiling import HARNESSES, compile_harnesses


def native_harness(folder: Path) -> SimpleNamespace:
    """Compile the harnesses into the folder and return their classes."""
    sources = [HARNESSES / "two_threads.pyx", HARNESSES / "many_producers.pyx"]
    two_threads, many_producers = compile_harnesses(sources, folder, optimize=True)
    return SimpleNamespace(
        NumberDemand=two_threads.NumberDemand,
        NumberRing=two_threads.NumberRing,
        ManyProducerRing=many_producers.ManyProducerRing,
    )
