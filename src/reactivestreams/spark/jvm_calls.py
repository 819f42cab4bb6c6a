"""Classes of the JVM by their full names, without the search that PySpark's `_jvm` makes.

`context._jvm.java.util.ArrayList` asks the JVM three times what a name is, and for `java` it looks in every archive of
Spark for a class of that name: a few milliseconds of processor time, each time that the expression is evaluated.
"""

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from pyspark import SparkContext

__all__ = ["java_class", "static_method"]

methods: "WeakKeyDictionary[SparkContext, dict[tuple[str, str], Any]]" = WeakKeyDictionary()
"""The static methods that were asked for; their names are constants of this package, so they are few."""


def java_class(context: "SparkContext", name: str) -> Any:
    """Return what makes instances of a class; a wrong name is told when it is used, since the JVM is asked for nothing.

    Args:
        context: Of a classic session.
        name: The full name.
    """
    from py4j.java_gateway import JavaClass

    return JavaClass(name, context._gateway._gateway_client)


def static_method(context: "SparkContext", class_name: str, name: str) -> Any:
    """Return a static method of a class, which the JVM is asked for once a context.

    It runs in that thread of the JVM which belongs to the thread that calls it, as all calls do.

    Args:
        context: Of a classic session.
        class_name: The full name of the class.
        name: The name of the method.

    Raises:
        Py4JError: There is no such method.
    """
    known = methods.setdefault(context, {})
    if (class_name, name) not in known:
        known[class_name, name] = getattr(java_class(context, class_name), name)
    return known[class_name, name]
