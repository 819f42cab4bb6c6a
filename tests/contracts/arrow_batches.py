"""Arrow batches as the input of contract tests."""

from typing import Any


def numbered_batches(count: int = 12) -> list[Any]:
    """Return batches of two columns, `number` and `text`, of 0 to 3 rows each; no two of them with rows are equal."""
    import pyarrow as pa

    schema = pa.schema([("number", pa.int64()), ("text", pa.string())])
    return [
        pa.RecordBatch.from_pylist(
            [{"number": 10 * index + row, "text": "ab"[row % 2]} for row in range(index % 4)], schema=schema
        )
        for index in range(count)
    ]
