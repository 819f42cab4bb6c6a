"""Access to JVM classes by their full names, without the search of PySpark's `_jvm`.

`context._jvm.java.util.ArrayList` asks the JVM three times what a name is, and for `java` the JVM searches all archives
of Spark for a class of that name. This costs a few milliseconds of processor time at each evaluation.
"""

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

__all__ = ["hadoop_configuration", "java_class", "local_properties", "static_method"]

methods: "WeakKeyDictionary[SparkContext, dict[tuple[str, str], Any]]" = WeakKeyDictionary()
"""The static methods that were used; their names are constants of this package, so they are few."""


def java_class(context: "SparkContext", name: str) -> Any:
    """Return a JVM class without calling the JVM; a wrong name raises when the class is used.

    Args:
        context: The context of a classic session.
        name: The full name.
    """
    from py4j.java_gateway import JavaClass

    return JavaClass(name, context._gateway._gateway_client)


def static_method(context: "SparkContext", class_name: str, name: str) -> Any:
    """Return a static method of a class; it is looked up once per context.

    Like all calls, it runs in the JVM thread that belongs to the calling thread.

    Args:
        context: The context of a classic session.
        class_name: The full name of the class.
        name: The name of the method.

    Raises:
        Py4JError: There is no such method.
    """
    known = methods.setdefault(context, {})
    if (class_name, name) not in known:
        known[class_name, name] = getattr(java_class(context, class_name), name)
    return known[class_name, name]


def hadoop_configuration(session: "SparkSession") -> Any:
    """Return Hadoop's options for a classic session: those of its context, and those that were set on it since.

    Args:
        session: The session.
    """
    return session._jsparkSession.sessionState().newHadoopConf()


def local_properties(session: "SparkSession") -> Any:
    """Return a copy of Spark's local properties of the calling thread, such as the scheduler pool of its jobs.

    Args:
        session: A classic session.
    """
    return session.sparkContext._jsc.sc().getLocalProperties().clone()
