from reactivestreams.stream.connectable import ConnectableStream
from reactivestreams.stream.keyed import KeyedPipeline, KeyedStream
from reactivestreams.stream.pipelines import Operator, Pipeline, pipeline
from reactivestreams.stream.stream import Stream

__all__ = ["ConnectableStream", "KeyedPipeline", "KeyedStream", "Operator", "Pipeline", "Stream", "pipeline"]
