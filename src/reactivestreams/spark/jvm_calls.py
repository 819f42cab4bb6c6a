"""All private calls of PySpark and its JVM but those of `keyed/map_calls.py` and `rows/arrow_values.py`.

`tests/spark/test_jvm_calls.py` makes each of them with each version of PySpark that `requirements.py` allows. Where a
hosted Spark forbids the calls with which a DataFrame is read, `PublicPartitionJobs` does the same with public ones; the
others are made only where a classic session, which has a JVM, was given.

JVM classes are reached by their full names, without the search of PySpark's `_jvm`: `context._jvm.java.util.ArrayList`
asks the JVM three times what a name is, and for `java` the JVM searches all archives of Spark for a class of that name.
This costs a few milliseconds of processor time at each evaluation.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

__all__ = [
    "arrow_rdd",
    "batch_releaser",
    "can_read_arrow",
    "cancel_group",
    "connect_port",
    "connect_to_jvm",
    "default_connect_session",
    "endpoint_of",
    "fetched_frames",
    "hadoop_configuration",
    "has_arrow_calls",
    "has_gateway",
    "has_jvm",
    "is_context_stopped",
    "java_class",
    "java_thread",
    "local_properties",
    "plan_leaves",
    "query_session",
    "received_tables",
    "running_context",
    "set_local_properties",
    "shown_plan",
    "sleeper",
    "static_method",
    "stream_thread",
]

PYTHON_RDD = "org.apache.spark.api.python.PythonRDD"

methods: "WeakKeyDictionary[SparkContext, dict[tuple[str, str], Any]]" = WeakKeyDictionary()
"""The static methods that were used; their names are constants of this package, so they are few."""

readable: "WeakKeyDictionary[SparkContext, bool]" = WeakKeyDictionary()
"""The result of `can_read_arrow`, because the check costs hundreds of calls, and a query needs it per micro-batch."""


# --- any class ------------------------------------------------------------------------------------------------------


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


def java_thread(context: "SparkContext") -> Any:
    """Return the JVM thread that belongs to the calling thread."""
    return static_method(context, "java.lang.Thread", "currentThread")()


# --- sessions -------------------------------------------------------------------------------------------------------


def has_jvm(session: object) -> bool:
    """Return whether a session is one of classic Spark, whose JVM this process can call."""
    return hasattr(session, "_jvm")


def running_context() -> "SparkContext | None":
    """Return the context of this process's classic session, whatever thread has made it, or None."""
    from pyspark import SparkContext

    return SparkContext._active_spark_context


def has_gateway() -> bool:
    """Return whether this process has a JVM, if only one whose context was stopped."""
    from pyspark import SparkContext

    return SparkContext._gateway is not None


def connect_to_jvm() -> None:
    """Connect to the JVM of the program that `spark-submit` has started."""
    from pyspark import SparkContext

    SparkContext._ensure_initialized()


def is_context_stopped(session: "SparkSession") -> bool:
    """Return whether the context of a classic session was stopped, or its JVM has ended.

    PySpark clears its context after the JVM's has ended; the jobs that end with it fail before that.
    """
    from py4j.protocol import Py4JError

    context = session.sparkContext._jsc
    if context is None:
        return True
    try:
        return bool(context.sc().isStopped())
    except (Py4JError, OSError):
        return True


def hadoop_configuration(session: "SparkSession") -> Any:
    """Return Hadoop's options for a classic session: those of its context, and those that were set on it since.

    Args:
        session: The session.
    """
    return session._jsparkSession.sessionState().newHadoopConf()


def connect_port(server: "SparkSession") -> int:
    """Return the port of the Spark Connect server in the JVM of a classic session."""
    service = java_class(server.sparkContext, "org.apache.spark.sql.connect.service.SparkConnectService$")
    port: int = getattr(service, "MODULE$").localPort()
    return port


def default_connect_session(kind: Any) -> Any:
    """Return the session that a class of Spark Connect sessions has made last in this process, or None."""
    return kind.getActiveSession() or kind._get_default_session()


def endpoint_of(session: Any) -> str:
    """Return the host and the port of a session of Spark Connect."""
    endpoint: str = session.client._builder.endpoint
    return endpoint


# --- plans and jobs -------------------------------------------------------------------------------------------------


def shown_plan(dataframe: "DataFrame") -> str:
    """Return the plans of a DataFrame as `explain(extended=True)` prints them."""
    jvm = getattr(dataframe, "_jdf", None)
    if jvm is None:
        return str(dataframe._explain_string(extended=True))
    context = dataframe.sparkSession.sparkContext
    explain = static_method(context, "org.apache.spark.sql.api.python.PythonSQLUtils", "explainString")
    return str(explain(jvm.queryExecution(), "extended"))


def received_tables(dataframe: Any) -> Any:
    """Return an iterator over the schema and the tables of a DataFrame of Spark Connect, as its server sends them."""
    client, plan = dataframe.sparkSession.client, dataframe._plan
    return client.to_table_as_iterator(plan.to_proto(client), plan.observations)


def batch_releaser() -> Callable[[Any], None]:
    """Return a function, sent by value, for a batch's DataFrame of Spark Connect that is not used any more.

    The server removes it after the batch. PySpark asks the server for that, too, when Python frees the DataFrame, and
    waits for an answer, which the one of 4.2 may give minutes later. Without this private part of PySpark it does.
    """

    def release(dataframe: Any) -> None:
        plan = getattr(dataframe, "_plan", None)
        if plan is not None:
            plan._relation_id = None

    return release


def plan_leaves(dataframe: Any) -> list[Any]:
    """Return the leaf nodes of the plan of a classic DataFrame, as JVM objects; empty for Spark Connect."""
    jvm = getattr(dataframe, "_jdf", None)
    if jvm is None:
        return []
    leaves = jvm.queryExecution().analyzed().collectLeaves()
    return [leaves.apply(index) for index in range(leaves.size())]


def local_properties(session: "SparkSession") -> Any:
    """Return a copy of Spark's local properties of the calling thread, such as the scheduler pool of its jobs.

    Args:
        session: A classic session.
    """
    return session.sparkContext._jsc.sc().getLocalProperties().clone()


def set_local_properties(context: "SparkContext", properties: Any) -> None:
    """Give the calling thread a copy of local properties."""
    context._jsc.sc().setLocalProperties(properties.clone())


def cancel_group(context: "SparkContext", name: str) -> None:
    """Stop the jobs of a group, including one that a thread is about to start."""
    context._jsc.sc().cancelJobGroupAndFutureJobs(name)


def can_read_arrow(dataframe: "DataFrame") -> bool:
    """Return whether this Spark has and allows `arrow_rdd` and `fetched_frames`."""
    context = dataframe.sparkSession.sparkContext
    if context not in readable:
        readable[context] = has_arrow_calls(dataframe)
    return readable[context]


def has_arrow_calls(dataframe: Any) -> bool:
    """Return whether the calls exist with which a DataFrame is read."""
    from py4j.protocol import Py4JError

    try:
        static_method(dataframe.sparkSession.sparkContext, PYTHON_RDD, "runJob")
        return "toArrowBatchRdd" in {str(method.getName()) for method in dataframe._jdf.getClass().getMethods()}
    except Py4JError:
        return False


def arrow_rdd(dataframe: Any) -> Any:
    """Return a new RDD of the serialized Arrow batches of a DataFrame, on top of the RDD of its plan."""
    return dataframe._jdf.toArrowBatchRdd().toJavaRDD()


def fetched_frames(context: "SparkContext", rdd: Any, partitions: list[int]) -> Iterator[bytes]:
    """Compute some partitions of an RDD of bytes, and yield them from the socket on which the JVM serves them."""
    from pyspark.serializers import FramedSerializer
    from pyspark.util import _load_from_socket

    class RawBytes(FramedSerializer):
        """Reads the frames of Spark's socket as bytes."""

        def loads(self, frame: bytes) -> bytes:
            return frame

    wanted = java_class(context, "java.util.ArrayList")()
    for partition in partitions:
        wanted.add(partition)
    served = static_method(context, PYTHON_RDD, "runJob")(context._jsc.sc(), rdd, wanted)
    with _load_from_socket(served, RawBytes()) as frames:
        yield from frames


# --- streaming queries ----------------------------------------------------------------------------------------------


def stream_thread(query: "StreamingQuery") -> Any:
    """Return the JVM thread in which a query of a classic session runs; None for Spark Connect."""
    wrapper = getattr(query, "_jsq", None)
    return None if wrapper is None else wrapper.streamingQuery().queryExecutionThread()


def query_session(query: Any) -> "SparkSession | None":
    """Return the session of a query of Spark Connect; None for a classic one, which does not show it."""
    session: SparkSession | None = getattr(query, "_session", None)
    return session


def sleeper(context: "SparkContext") -> Any:
    """Return a function that sleeps for some seconds in the JVM thread of its caller, such as a stream thread.

    It raises Py4JJavaError at once when Spark interrupts the thread.
    """
    from py4j.protocol import Py4JJavaError

    sleep = static_method(context, "java.lang.Thread", "sleep")

    def wait(seconds: float) -> None:
        try:
            sleep(int(seconds * 1000))
        except Py4JJavaError as error:
            # Spark searches the text for the interruption recursively, so the text must not include the stack.
            no_stack = context._gateway.new_array(java_class(context, "java.lang.StackTraceElement"), 0)
            error.java_exception.setStackTrace(no_stack)
            raise

    return wait
