"""The engine: named queries that run for months, survive the death of their process, and can be looked into."""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.engine.appended_file": ("AppendedFile",),
        "reactivestreams.engine.artifact": ("Artifact", "BuildContext"),
        "reactivestreams.engine.egress": ("Egress", "IdempotentEgress", "StoreEgress", "TwoPhaseEgress"),
        "reactivestreams.engine.engine": ("Engine", "EngineStatus", "Failure", "Mitigation"),
        "reactivestreams.engine.errors": (
            "CheckpointError",
            "DefinitionChangedError",
            "EngineStatusError",
            "EngineUnloadedError",
            "IngressGapError",
            "StoreError",
            "StoreFencedError",
            "StoreLockedError",
            "UnknownFactoryError",
        ),
        "reactivestreams.engine.explanation": ("Explanation", "PathGuarantee"),
        "reactivestreams.engine.factory_registry": ("Factory", "FactoryRegistry", "factories"),
        "reactivestreams.engine.hosted_subject": ("HostedSubject",),
        "reactivestreams.engine.http_egress": ("HttpEgress",),
        "reactivestreams.engine.ingress": ("Ingress",),
        "reactivestreams.engine.json_lines_folder": ("JsonLinesFolder",),
        "reactivestreams.engine.lines_folder": ("LinesFolder",),
        "reactivestreams.engine.memory_store": ("MemoryStore",),
        "reactivestreams.engine.postgres_rows": ("PostgresRows",),
        "reactivestreams.engine.postgres_store": ("PostgresStore",),
        "reactivestreams.engine.postgres_table": ("PostgresTable",),
        "reactivestreams.engine.push_input": ("PushInput",),
        "reactivestreams.engine.rehearsal": ("Rehearsal",),
        "reactivestreams.engine.server_inputs": ("HttpInput", "SocketInput"),
        "reactivestreams.engine.sqlite_rows": ("SqliteRows",),
        "reactivestreams.engine.sqlite_store": ("SqliteStore",),
        "reactivestreams.engine.sqlite_table": ("SqliteTable",),
        "reactivestreams.engine.statistics": ("ArtifactStatistics", "EngineStatistics", "Figures"),
        "reactivestreams.engine.store": ("Checkpoint", "CheckpointWrite", "Definition", "Store", "TableWrite"),
        "reactivestreams.guarantees": ("Guarantee", "PartGuarantee"),
    },
)
