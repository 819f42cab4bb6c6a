from reactivestreams.engine.appended_file import AppendedFile
from reactivestreams.engine.artifact import Artifact, BuildContext
from reactivestreams.engine.egress import Egress, IdempotentEgress, StoreEgress, TwoPhaseEgress
from reactivestreams.engine.engine import Engine, EngineStatus, Failure, Mitigation
from reactivestreams.engine.errors import (
    CheckpointError,
    DefinitionChangedError,
    EgressAheadError,
    EngineStatusError,
    EngineUnloadedError,
    IngressGapError,
    StoreError,
    StoreFencedError,
    StoreLockedError,
    UnknownFactoryError,
)
from reactivestreams.engine.explanation import Explanation, PathGuarantee
from reactivestreams.engine.factory_registry import Factory, FactoryRegistry, factories
from reactivestreams.engine.hosted_subject import HostedSubject
from reactivestreams.engine.http_egress import HttpEgress
from reactivestreams.engine.ingress import Ingress
from reactivestreams.engine.json_lines_folder import JsonLinesFolder
from reactivestreams.engine.kafka_records import KafkaRecord, KafkaRecords
from reactivestreams.engine.kafka_topic import KafkaTopic
from reactivestreams.engine.lines_folder import LinesFolder
from reactivestreams.engine.memory_store import MemoryStore
from reactivestreams.engine.parquet_folder import ParquetFolder
from reactivestreams.engine.postgres_rows import PostgresRows
from reactivestreams.engine.postgres_store import PostgresStore
from reactivestreams.engine.postgres_table import PostgresTable
from reactivestreams.engine.push_input import PushInput
from reactivestreams.engine.rehearsal import Rehearsal
from reactivestreams.engine.server_inputs import HttpInput, SocketInput
from reactivestreams.engine.sqlite_rows import SqliteRows
from reactivestreams.engine.sqlite_store import SqliteStore
from reactivestreams.engine.sqlite_table import SqliteTable
from reactivestreams.engine.statistics import ArtifactStatistics, EngineStatistics, Figures
from reactivestreams.engine.store import Checkpoint, CheckpointWrite, Definition, Store, TableWrite
from reactivestreams.guarantees import Guarantee, PartGuarantee

__all__ = [
    "AppendedFile",
    "Artifact",
    "ArtifactStatistics",
    "BuildContext",
    "Checkpoint",
    "CheckpointError",
    "CheckpointWrite",
    "Definition",
    "DefinitionChangedError",
    "Egress",
    "EgressAheadError",
    "Engine",
    "EngineStatistics",
    "EngineStatus",
    "EngineStatusError",
    "EngineUnloadedError",
    "Explanation",
    "Factory",
    "FactoryRegistry",
    "Failure",
    "Figures",
    "Guarantee",
    "HostedSubject",
    "HttpEgress",
    "HttpInput",
    "IdempotentEgress",
    "Ingress",
    "IngressGapError",
    "JsonLinesFolder",
    "KafkaRecord",
    "KafkaRecords",
    "KafkaTopic",
    "LinesFolder",
    "MemoryStore",
    "Mitigation",
    "ParquetFolder",
    "PartGuarantee",
    "PathGuarantee",
    "PostgresRows",
    "PostgresStore",
    "PostgresTable",
    "PushInput",
    "Rehearsal",
    "SocketInput",
    "SqliteRows",
    "SqliteStore",
    "SqliteTable",
    "Store",
    "StoreEgress",
    "StoreError",
    "StoreFencedError",
    "StoreLockedError",
    "TableWrite",
    "TwoPhaseEgress",
    "UnknownFactoryError",
    "factories",
]
