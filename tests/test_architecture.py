"""The house is kept: each room light to import, each module small and named for its job."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"rich", "jsonschema", "jsonschema_rs", "requests", "fsspec", "s3fs", "apsw", "mcp"}
"""What is imported in the function that needs it, and nowhere else."""

NAMELESS = {"utils", "util", "helpers", "helper", "misc", "common"}
"""Names that say nothing."""

MOST_LINES = 400


def rooms() -> list[Path]:
    """The package of each room, as `pyproject.toml` lists them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    return [ROOT / package for package in listed]


def shipped() -> list[Path]:
    """Every module that is shipped."""
    return sorted(path for room in rooms() for path in room.rglob("*.py"))


def everything() -> list[Path]:
    """Every module that is not made by a tool."""
    own = [*shipped(), *(ROOT / "tests").rglob("*.py")]
    return sorted({*own, *(ROOT / "docs").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")})


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def at_import(nodes: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when a module is imported, but for those only type checkers see."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        yield node
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from at_import(node.orelse)
            continue
        for part in ("body", "orelse", "finalbody"):
            yield from at_import(getattr(node, part, []))
        for handler in getattr(node, "handlers", []):
            yield from at_import(handler.body)


def top_names(node: ast.stmt) -> set[str]:
    """The distributions' packages that a statement imports."""
    if isinstance(node, ast.Import):
        return {alias.name.partition(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
        return {node.module.partition(".")[0]}
    return set()


def test_every_room_is_looked_at() -> None:
    """The rooms exist, and each folder with a package in it is one of them."""
    assert all((room / "__init__.py").is_file() for room in rooms())
    assert set(rooms()) == {path.parent for path in ROOT.glob("*/memoryfield_*/__init__.py")}
    assert len(shipped()) > 40


@pytest.mark.parametrize("room", rooms(), ids=named)
def test_nothing_heavy_is_imported_with_a_room(room: Path) -> None:
    """Importing a room, or asking for help, loads no more than it must."""
    heavy = [
        f"{named(path)}:{node.lineno}"
        for path in sorted(room.rglob("*.py"))
        for node in at_import(tree(path).body)
        if top_names(node) & HEAVY
    ]
    assert heavy == []


@pytest.mark.parametrize("room", rooms(), ids=named)
def test_no_error_is_swallowed(room: Path) -> None:
    """Whoever catches everything must do something about it."""
    swallowing = [
        f"{named(path)}:{node.lineno}"
        for path in sorted(room.rglob("*.py"))
        for node in ast.walk(tree(path))
        if (isinstance(node, ast.ExceptHandler) and _swallows(node))
        or (isinstance(node, ast.Call) and _suppresses(node))
    ]
    assert swallowing == []


def _swallows(handler: ast.ExceptHandler) -> bool:
    is_silent = all(isinstance(each, ast.Pass | ast.Continue) for each in handler.body)
    return is_silent and _catches_everything(handler.type)


def _suppresses(call: ast.Call) -> bool:
    name = str(getattr(call.func, "attr", getattr(call.func, "id", "")))
    caught = {ast.unparse(each) for each in call.args} if name.endswith("suppress") else set()
    return bool(caught & {"Exception", "BaseException"})


def test_what_swallows_errors_is_seen() -> None:
    """However it is written; what does something about them, or catches less, may stand."""
    code = (
        "try:\n  pass\nexcept {}:\n  pass\n",
        "try:\n  pass\nexcept {}:\n  raise\n",
        "with suppress({}):\n  pass\n",
        "with contextlib.suppress(OSError, {}):\n  pass\n",
    )
    found = [
        [
            any(isinstance(node, ast.ExceptHandler) and _swallows(node) for node in nodes)
            or any(isinstance(node, ast.Call) and _suppresses(node) for node in nodes)
            for nodes in (list(ast.walk(ast.parse(each.format(caught)))) for each in code)
        ]
        for caught in ("Exception", "BaseException", "ValueError")
    ]
    assert found == [[True, False, True, True], [True, False, True, True], [False] * 4]


def _catches_everything(caught: ast.expr | None) -> bool:
    if caught is None:
        return True
    return any(name in ast.unparse(caught).split(".") for name in ("Exception", "BaseException"))


def test_modules_are_named_for_what_they_do() -> None:
    """No `utils`, no `helpers`: such modules gather what nobody finds again."""
    unnamed = [
        named(path)
        for path in everything()
        if {path.stem, *path.relative_to(ROOT).parts[:-1]} & NAMELESS
    ]
    assert unnamed == []


def test_modules_fit_in_a_head() -> None:
    """No module is longer than can be kept in mind."""
    lengths = {named(path): len(path.read_bytes().splitlines()) for path in everything()}
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}


@pytest.mark.parametrize("path", rooms(), ids=named)
def test_rooms_are_typed(path: Path) -> None:
    """Each package tells type checkers that it is typed."""
    assert (path / "py.typed").read_bytes() == b""


def test_scan_sees_all_that_runs_at_import() -> None:
    """An import in a class body or an `except` is seen, one in a function or for types is not."""
    code = "class A:\n  try:\n    pass\n  except ImportError:\n    import rich.text\n"
    found = [top_names(node) for node in at_import(ast.parse(code).body)]
    assert {"rich"} in found
    unseen = "if TYPE_CHECKING:\n  import rich\ndef f():\n  import rich\n"
    assert {"rich"} not in [top_names(node) for node in at_import(ast.parse(unseen).body)]
