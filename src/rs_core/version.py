"""The version of the distribution, defined only here: the packages import it and the build reads it."""

__all__ = ["__version__"]

__version__ = "0.1.0.dev0"
