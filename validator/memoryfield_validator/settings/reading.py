"""From a TOML file to settings; whatever is wrong with it is an error that names its place."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn, cast, get_args

from memoryfield_readers import (
    DEFAULT_LIMITS,
    Limits,
    MemoryfieldError,
    UnknownLimit,
    shown,
)
from memoryfield_spec import Level, UnknownRequirement

from ..registry import matching
from .values import Settings

PYPROJECT = "pyproject.toml"
_TABLE = "memoryfield"
_MOST_BYTES = 1024 * 1024
_KEYS = ("select", "ignore", "per-file-ignores", "fail-on", "limits", "severity")
_LEVELS: tuple[Level, ...] = get_args(Level)


class SettingsError(MemoryfieldError):
    """The file with the settings cannot be read, or says something that means nothing."""

    exit_code = 2


def has_settings(path: Path) -> bool:
    """Whether a file is one that holds settings: a `pyproject.toml` need not.

    Raises:
        SettingsError: it is a `pyproject.toml` that cannot be read.
    """
    return path.name != PYPROJECT or _table_of(path) is not None


def read_settings(path: Path) -> Settings:
    """The settings in a file: all of a `memoryfield.toml`, `[tool.memoryfield]` of a pyproject.

    Raises:
        SettingsError: it cannot be read, or has a key, an id or a value that means nothing.
    """
    table = _table_of(path)
    if table is None:
        raise SettingsError("has no table [tool.memoryfield]", location=str(path))
    where = _Place(str(path), "tool.memoryfield" if path.name == PYPROJECT else "")
    where.check_keys(table, _KEYS)
    return Settings(
        select=_select(where.at("select"), table.get("select")),
        ignore=_ids(where.at("ignore"), table.get("ignore")),
        per_file_ignores=_per_file(where.at("per-file-ignores"), table.get("per-file-ignores", {})),
        fail_on=_level(where.at("fail-on"), table.get("fail-on", "error")),
        limits=_limits(where.at("limits"), table.get("limits", {})),
        severity=_severity(where.at("severity"), table.get("severity", {})),
        source=str(path),
    )


class _Place:
    """A place within a file, for messages."""

    def __init__(self, file: str, key: str) -> None:
        self.file = file
        self.key = key

    def at(self, key: str) -> _Place:
        """A place within this one."""
        return _Place(self.file, f"{self.key}.{key}" if self.key else key)

    def refuse(self, message: str, hint: str | None = None) -> NoReturn:
        raise SettingsError(message, location=self.file, entry=self.key or None, hint=hint)

    def check_keys(self, table: Mapping[str, object], known: Iterable[str]) -> None:
        """Refuse a key that means nothing, and name the one that may have been meant."""
        known = tuple(known)
        for key in table:
            if key not in known:
                near = difflib.get_close_matches(key.replace("_", "-").lower(), known, n=1)
                hint = f"did you mean `{near[0]}`?" if near else "the keys are " + ", ".join(known)
                self.refuse(f"there is no setting {shown(key)}", hint)


def _table_of(path: Path) -> Mapping[str, Any] | None:
    import tomllib

    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise SettingsError(f"is larger than {_MOST_BYTES} bytes", location=str(path))
        table: Any = tomllib.loads(content.decode("utf-8-sig"))
    except OSError as error:
        raise SettingsError(
            f"cannot be read: {error.strerror or error}", location=str(path)
        ) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"is no TOML: {error}", location=str(path)) from error
    if path.name == PYPROJECT:
        tools = table.get("tool", {})
        table = tools.get(_TABLE) if isinstance(tools, dict) else None
        if table is not None and not isinstance(table, dict):
            raise SettingsError("[tool.memoryfield] is no table", location=str(path))
    return cast("Mapping[str, Any] | None", table)


def _ids(where: _Place, value: object) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(id, str) for id in value):
        where.refuse("must be a list of ids", 'for example ["MF205", "MF3"]')
    for id in value:
        _known(where, id)
    return tuple(value)


def _select(where: _Place, value: object) -> tuple[str, ...] | None:
    """The ids to check: none at all would let every field pass."""
    ids = _ids(where, value)
    if ids == ():
        where.refuse("selects nothing, so that nothing would be checked", "leave it out for all")
    return ids


def _known(where: _Place, id: str) -> None:
    """Refuse an id that is the beginning of none; the error names those that resemble it."""
    try:
        matching([id])
    except UnknownRequirement as error:
        where.refuse(str(error))


def _per_file(where: _Place, value: object) -> Mapping[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        where.refuse("must be a table of file patterns", '"log-*.md" = ["MF303"]')
    return {pattern: _ids(where.at(shown(pattern)), ids) or () for pattern, ids in value.items()}


def _level(where: _Place, value: object) -> Level:
    if value not in _LEVELS:
        where.refuse("must be a level", "one of " + ", ".join(_LEVELS))
    return value


def _severity(where: _Place, value: object) -> Mapping[str, Level]:
    if not isinstance(value, dict):
        where.refuse("must be a table of ids and levels", 'MF205 = "warning"')
    for id in value:
        _known(where, id)
    return {id: _level(where.at(id), level) for id, level in value.items()}


def _limits(where: _Place, value: object) -> Limits:
    if not isinstance(value, dict):
        where.refuse("must be a table of limits", "page-bytes = 4_194_304")
    where.check_keys(value, Limits.names())
    try:
        return DEFAULT_LIMITS.with_settings(
            f"{name}={number if type(number) is int else repr(number)}"
            for name, number in value.items()
        )
    except UnknownLimit as error:
        where.refuse(error.message, error.hint)
