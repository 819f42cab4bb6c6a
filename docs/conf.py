"""Settings of the documentation; `make docs` builds it."""

import doctest
import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from rs_core.version import __version__

# For the extensions that write pages, and for the tests that one of them tells of.
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

project = "Reactive Streams for Python"
author = "The Reactive Streams for Python developers"
copyright = "The Reactive Streams for Python developers"
version = release = __version__

extensions = [
    "generate_api",
    "generate_checkpoint",
    "generate_marbles",
    "generate_performance",
    "generate_reference_bullets",
    "generate_rule_pages",
    "generate_rules",
    "generate_seeds",
    "generate_tck_coverage",
    "labeled_paragraphs",
    "myst_parser",
    "shared_navigation",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["narrow.css"]
html_title = f"Reactive Streams for Python {release}"

# Headings of lists in docstrings that napoleon does not know; they are shown as those of arguments are.
napoleon_custom_sections = [
    ("Class attributes that a subclass sets", "params_style"),
    ("Class attributes that a subclass may set", "params_style"),
]

# What is copied from an example is what one types: neither prompts nor output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
default_role = "code"

# Docstrings are executed by tests/documentation, each with the names of its module; the builder `doctest` runs pages.
doctest_default_flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
doctest_test_doctest_blocks = ""


def mark_examples(app: Sphinx, doctree: nodes.document) -> None:
    """Let the builder `doctest` see the examples in the fenced blocks of a page."""
    page = Path(doctree["source"]).read_text(encoding="utf-8").splitlines()
    for block in doctree.findall(nodes.literal_block):
        if block.get("language") != "python" or ">>> " not in block.astext():
            continue
        opening = page[block.line - 1] if block.line else ""  # a block of a docstring has no line of the page
        if not opening.startswith("```python not-run"):  # as tests/documentation, which also asks for the reason
            block["testnodetype"] = "doctest"
            block["groups"] = ["default"]


def setup(app: Sphinx) -> None:
    """Connect what this file adds."""
    app.connect("doctree-read", mark_examples)
