"""Names of a package that are loaded when they are first used, from one table of the modules that define them."""

import sys
from importlib import import_module

TYPE_CHECKING = False  # as type checkers know it; importing `typing` would cost more than everything here
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy_names(
    package: str, modules: "Mapping[str, tuple[str, ...]]"
) -> "tuple[list[str], Callable[[str], object], Callable[[], list[str]]]":
    """Return `__all__`, `__getattr__` and `__dir__` of a package that loads its names when they are first used.

    A name is an attribute of the package after its first use, so only that use costs more than in a package that
    imports everything. Type checkers read the stub of the package, which `ci/generate_package_stubs.py` writes from the
    same table. A name must not be the name of a module of the package: the import system would replace it by the
    module.

    Args:
        package: The name of the package.
        modules: The names that each module defines, by the full name of the module.

    Threads: any, also at the same time. The import system lets one thread load a module and the others wait for it;
        each then sets the same value.

    Example:
        >>> import sys, types
        >>> sys.modules["shapes"] = shapes = types.ModuleType("shapes")
        >>> shapes.__all__, shapes.__getattr__, shapes.__dir__ = lazy_names("shapes", {"fractions": ("Fraction",)})
        >>> from shapes import Fraction
        >>> Fraction(2, 4)
        Fraction(1, 2)
        >>> shapes.Fractoin
        Traceback (most recent call last):
        AttributeError: module 'shapes' has no attribute 'Fractoin'
        >>> del sys.modules["shapes"]
    """
    module_of = {name: module for module, names in modules.items() for name in names}
    this = sys.modules[package]
    loaded = vars(this)

    def load(name: str) -> object:
        module = module_of.get(name)
        if module is None:
            # With these two Python adds a suggestion.
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=this)
        value = loaded[name] = getattr(import_module(module), name)
        return value

    def names() -> list[str]:
        return sorted({*loaded, *module_of})

    return sorted(module_of), load, names
