"""Pages that are written whenever the documentation is built, and are not committed."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["write_when_built"]


def write_when_built(app: Any, pages: Callable[[], Mapping[str, str]]) -> dict[str, bool]:
    """Have Sphinx write pages before it reads any; what has not changed is left alone, so that it is not read anew.

    Args:
        app: Sphinx's application.
        pages: Returns the text of each page by its path below the folder of the documentation.

    Returns:
        What the `setup` of an extension returns.
    """

    def write(app: Any) -> None:
        for name, text in pages().items():
            page = Path(app.srcdir, name)
            page.parent.mkdir(exist_ok=True)
            if not page.exists() or page.read_text(encoding="utf-8") != text:
                page.write_text(text, encoding="utf-8")

    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
