"""What the readers offer: a sorted, complete list of names, and one tree of errors."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

import memoryfield_readers
from memoryfield_readers import Fault, MemoryfieldError, PageError, UnsafeArchive, errors
from memoryfield_readers.frontmatter import __all__ as frontmatter_names

_PACKAGE = Path(memoryfield_readers.__file__)
_BRANCH = re.compile(r"^(?P<stem>[│ ]*)(?:[├└]── )?(?P<name>[A-Z]\w+)(?: +.*exit (?P<code>\d))?$")


def _imported() -> set[str]:
    """The public names that the package's `__init__` imports."""
    tree = ast.parse(_PACKAGE.read_text(encoding="utf-8"))
    return {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }


def test_the_public_names_are_all_that_is_imported() -> None:
    """`__all__` names everything the package imports, each once, and nothing else."""
    names = memoryfield_readers.__all__
    assert len(names) == len(set(names))
    assert set(names) == _imported()
    assert all(hasattr(memoryfield_readers, name) for name in names)


@pytest.mark.parametrize("names", [memoryfield_readers.__all__, frontmatter_names])
def test_the_public_names_are_sorted(names: list[str]) -> None:
    """Constants first, then classes, then functions, each in order."""

    def rank(name: str) -> tuple[int, str]:
        return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)

    assert list(names) == sorted(names, key=rank)


def test_every_public_name_says_what_it_is() -> None:
    """Each public class and function has a docstring of its own."""
    for name in memoryfield_readers.__all__:
        value = getattr(memoryfield_readers, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert value.__doc__, name
            assert not value.__doc__.startswith(f"{name}("), (
                name
            )  # a NamedTuple's or dataclass's own


def test_every_error_is_public() -> None:
    """Nothing is raised that a user could not name."""
    raised = {
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, MemoryfieldError)
    }
    assert raised <= set(memoryfield_readers.__all__)


def _drawn() -> dict[str, tuple[str, int | None]]:
    """The tree in the docstring of the errors: name to parent and exit code."""
    found: dict[str, tuple[str, int | None]] = {}
    parents: dict[int, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        match = _BRANCH.match(line)
        if match is None or not (match["code"] or match["name"] == "MemoryfieldError"):
            continue
        depth = 0 if match["name"] == "MemoryfieldError" else len(match["stem"]) // 4 + 1
        parents[depth] = match["name"]
        code = int(match["code"]) if match["code"] else None
        found[match["name"]] = (parents.get(depth - 1, "Exception"), code)
    return found


def test_the_tree_of_errors_is_the_one_that_is_drawn() -> None:
    """The drawing at the top of the errors names every error, its parent and its exit code."""
    real = {
        name: (value.__bases__[0].__name__, value.exit_code)
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, MemoryfieldError)
    }
    drawn = _drawn()
    assert drawn.keys() == real.keys()
    for name, (parent, code) in drawn.items():
        assert real[name][0] == parent, name
        assert code is None or real[name][1] == code, name


def test_an_error_carries_its_data() -> None:
    """Location, entry and hint are attributes, and the text puts the place first."""
    error = PageError("is a FIFO", location="woks", entry="a.md", hint="remove it")
    assert (error.message, error.location, error.entry, error.hint) == (
        "is a FIFO", "woks", "a.md", "remove it",
    )  # fmt: skip
    assert str(error) == "woks: a.md: is a FIFO"
    assert str(PageError("is a FIFO", entry="a.md")) == "a.md: is a FIFO"
    assert str(PageError("is a FIFO")) == "is a FIFO"


def test_an_unsafe_archive_tells_the_first_fault_and_how_many_more() -> None:
    """Its message is the first fault's; all are in `faults`; the hint is the fault's or general."""
    first, second = Fault("MF606", "is odd", "a.md", hint="mend it"), Fault("MF601", "is cut")
    error = UnsafeArchive((first, second), location="f.zip")
    assert str(error) == "f.zip: a.md: unsafe archive, MF606: is odd (and 1 more)"
    assert (error.faults, error.hint) == ((first, second), "mend it")
    assert "memoryfield validate" in (UnsafeArchive((second,)).hint or "")
