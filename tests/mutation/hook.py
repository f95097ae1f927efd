"""Modules compiled from changed trees, imported in place of what stands in their files."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

ROOMS = "memoryfield_"
"""How the names of the packages begin that are imported anew."""


class _Loader(SourceFileLoader):
    """Loads a module as its finder would, but for its code."""

    def __init__(self, name: str, path: str, tree: ast.Module) -> None:
        super().__init__(name, path)
        self._tree = tree

    def get_code(self, fullname: str) -> CodeType:
        """The code of the changed tree."""
        return compile(ast.fix_missing_locations(self._tree), self.path, "exec")


class _Finder:
    """Finds the modules whose trees were changed."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self._trees = trees

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The specification of a module whose tree was changed, else None."""
        tree = self._trees.get(fullname)
        spec = PathFinder.find_spec(fullname, path, target) if tree else None
        if tree is None or spec is None or spec.origin is None:
            return None
        spec.loader = _Loader(fullname, spec.origin, tree)
        return spec


@contextmanager
def imported_anew(trees: Mapping[str, ast.Module]) -> Iterator[None]:
    """Within this, the rooms are imported anew, some modules from these trees.

    What was imported before comes back after it.
    """
    before = _forget_rooms()
    finder = _Finder(trees)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        _forget_rooms()
        sys.modules.update(before)


def _forget_rooms() -> dict[str, ModuleType]:
    rooms = [name for name in sys.modules if name.startswith(ROOMS)]
    return {name: sys.modules.pop(name) for name in rooms}
