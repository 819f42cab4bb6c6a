"""The runner of examples finds what is there and fails where it should."""

import types
import warnings

from tests.documentation.examples import docstrings, run_docstrings, run_page

PAGE = """\
# Title

```python
>>> number = 1
>>> number + 1
{shown}
```

Later, in the same namespace:

```python
total = number + 1
assert total == {asserted}
```

```python not-run: needs a cluster
raise RuntimeError
```

```text
>>> not Python
```
"""


def test_the_blocks_of_a_page_share_a_namespace() -> None:
    outcome = run_page(PAGE.format(shown=2, asserted=2), "page.md")
    assert (outcome.examples, outcome.failures) == (3, [])


def test_a_wrong_output_is_a_failure_that_names_the_line() -> None:
    (failure,) = run_page(PAGE.format(shown=3, asserted=2), "page.md").failures
    assert 'File "page.md", line 5' in failure
    assert "Expected:\n    3\nGot:\n    2" in failure


def test_a_block_that_raises_is_a_failure_that_names_the_line() -> None:
    (failure,) = run_page(PAGE.format(shown=2, asserted=3), "page.md").failures
    assert 'File "page.md", line 13' in failure
    assert "AssertionError" in failure


def test_a_block_is_left_out_only_with_a_reason() -> None:
    assert run_page("```python not-run: needs a cluster\n1 / 0\n```\n", "page.md").failures == []
    for note in (" not-run", " not-run: ", " ignore"):
        assert len(run_page(f"```python{note}\n1\n```\n", "page.md").failures) == 1


def test_a_warning_is_a_failure() -> None:
    outcome = run_page("```python\nimport warnings\nwarnings.warn('old')\n```\n", "page.md")
    assert "UserWarning: old" in outcome.failures[0]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn("the filter is as before", stacklevel=1)
    assert len(caught) == 1


def test_an_indented_block_is_run() -> None:
    assert run_page("- item\n\n  ```python\n  >>> 1 + 1\n  2\n  ```\n", "page.md").examples == 1


def test_a_page_without_examples_has_none() -> None:
    assert run_page("# Title\n\n```text\n>>> 1\n```\n", "page.md").examples == 0


def module_with(source: str) -> types.ModuleType:
    module = types.ModuleType("documented")
    exec(source, vars(module))
    return module


def test_every_kind_of_docstring_is_found() -> None:
    module = module_with(
        '''
"""m"""
import os
def function(): """f"""
class Outer:
    """c"""
    constant = "text"
    def method(self): """d"""
    @property
    def read(self): """p"""
    @staticmethod
    def static(): """s"""
    @classmethod
    def cls(cls): """k"""
    class Inner:
        """i"""
'''
    )
    module.__doc__ = "m"
    found = {name: text for name, text in docstrings(module) if text}
    assert found == {
        "documented": "m",
        "documented.function": "f",
        "documented.Outer": "c",
        "documented.Outer.method": "d",
        "documented.Outer.read": "p",
        "documented.Outer.static": "s",
        "documented.Outer.cls": "k",
        "documented.Outer.Inner": "i",
    }


def test_compiled_docstrings_are_found() -> None:
    from rs_core import demand

    names = [name for name, text in docstrings(demand) if text]
    assert {"rs_core.demand", "rs_core.demand.Demand", "rs_core.demand.Demand.add", "rs_core.demand.Demand.value"} <= {
        *names
    }


def test_docstrings_run_with_the_names_of_their_module_and_do_not_disturb_each_other() -> None:
    module = module_with(
        '''
base = 1
def first():
    """
    >>> base = base + 1
    >>> base
    2
    """
def second():
    """
    >>> base
    1
    """
'''
    )
    outcome = run_docstrings(module)
    assert (outcome.examples, outcome.failures) == (3, [])


def test_a_wrong_docstring_is_a_failure_that_names_its_owner() -> None:
    module = module_with('def broken():\n    """\n    >>> 1\n    2\n    """\n')
    (failure,) = run_docstrings(module).failures
    assert "documented.broken" in failure
