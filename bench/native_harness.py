"""What benchmarks compile, with optimization: loops of the native tests, the emitter's baseline, the floor of maps."""

from pathlib import Path
from types import ModuleType, SimpleNamespace

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


def forwarding_harness(folder: Path) -> ModuleType:
    """Compile the forwarder into the folder and return its module."""
    (module,) = compile_harnesses([Path(__file__).with_name("forwarder.pyx")], folder, optimize=True)
    return module


def bare_calls_harness(folder: Path) -> ModuleType:
    """Compile the bare calls into the folder and return their module."""
    (module,) = compile_harnesses([Path(__file__).with_name("bare_calls.pyx")], folder, optimize=True)
    return module
