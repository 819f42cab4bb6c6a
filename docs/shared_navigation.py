"""Lays out the navigation of the site once for all pages of a folder, and not again for each page.

The theme shows the titles of all pages beside each page. Sphinx resolves them anew for each, which took four fifths of
the build. In the pages of one folder they differ only in which page is the present one, so that is marked in the text.
"""

import re
from functools import cache, partial
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment.adapters.toctree import global_toctree_for_doc

__all__ = ["setup"]

NOBODY = "no page"
"""The name of a page that does not exist, in whose navigation none is the present one."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the extension to Sphinx."""

    @cache
    def parents() -> dict[str, str]:
        return {page: parent for parent, pages in app.env.toctree_includes.items() for page in pages}

    @cache
    def tree(folder: str, **options: Any) -> str:
        titles = global_toctree_for_doc(app.env, f"{folder}{NOBODY}", app.builder, tags=app.tags, **options)
        return str(app.builder.render_partial(titles)["fragment"])  # type: ignore[attr-defined]  # the one for HTML has it

    def marked(page: str, **options: Any) -> str:
        """Return the navigation of a page, in which it and those above it are marked, as Sphinx marks them."""
        shown = tree(page[: page.rfind("/") + 1], **options)
        above: str | None = page
        while above is not None:
            uri = re.escape(app.builder.get_relative_uri(page, above) or "#")
            if above == page:
                uri = re.escape(f"{page.rpartition('/')[2]}.html")
            link = re.compile(rf'<li class="(toctree-l\d+)"><a class="(reference internal)" href="({uri})">')
            present = r'<a class="current \2" href="#">' if above == page else r'<a class="\2" href="\3">'
            shown = link.sub(rf'<li class="\1 current">{present}', shown)
            above = parents().get(above)
        return shown

    def share(_: Sphinx, page: str, __: str, context: dict[str, Any], ___: nodes.document | None) -> None:
        if "toctree" in context:
            context["toctree"] = partial(marked, page)

    app.connect("html-page-context", share, priority=400)  # before that of the theme
    return {"parallel_read_safe": True, "parallel_write_safe": True}
