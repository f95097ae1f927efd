"""From a lock file to what it says; whatever is wrong with it is an error that names its place."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn, TypeGuard

from ..display import shown, visible
from ..errors import InvalidPin, LimitExceeded, LocationError, LockFileError, PinMismatch
from ..limits import DEFAULT_LIMITS, Limits, raise_limit
from ..manifest import Manifest
from ..pins.pin import Pin, PinKind, parse_pin
from ..system_errors import reason_of
from .lines import IN_MANIFEST, INDEXES, hashes_of
from .origins import origin_problem, parsed
from .toml_shape import shape_problem
from .values import LOCK_NAME, VERSION, LockedField, LockFile, is_field_name

MOST_BYTES = 16 * 1024 * 1024
"""So large may a lock file be."""

_MOST_NUMBER = 2**63 - 1
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FLAGS |= getattr(os, "O_NONBLOCK", 0)  # a FIFO must not hang us
_CONFLICT = ("<<<<<<< ", "||||||| ", ">>>>>>> ")
_AS_IT_WAS = "restore the file from version control, or remove the table and lock the field again"
_KNOWN = {
    "location", "resolved", "archive_pin", "field_pin", "bytes", "archive_bytes", "manifest",
    "indexes",
}  # fmt: skip


def read_lock(path: Path, *, limits: Limits = DEFAULT_LIMITS) -> LockFile:
    """What a lock file says; that of an empty one is that there is no field in it.

    Raises:
        LockFileError: it is not there, cannot be read, or means nothing.
        PinMismatch: a manifest in it is not the one of its field pin.
        LimitExceeded: a field in it has more files than the limits allow.
    """
    data = lock_bytes(path)
    if not data:  # as `touch` makes it: there is no field in it yet
        return LockFile(Path(os.path.abspath(path)), {})
    return _parsed(data, path, os.path.abspath(path), limits)


@lru_cache(maxsize=2)
def _parsed(data: bytes, path: Path, here: str, limits: Limits) -> LockFile:
    """What the bytes say, once: a program that reads page after page names its field each time.

    Arguments:
        data: the bytes, read anew each time.
        path: where they stand.
        here: the same as an absolute path, which depends on where the program runs.
        limits: how many files a field may have.
    """
    return parse_lock(data, path, limits=limits)


def read_or_new(path: Path, *, limits: Limits = DEFAULT_LIMITS) -> LockFile:
    """What a lock file says; no field where there is none yet. Raises as `read_lock` does."""
    if os.path.lexists(path):
        return read_lock(path, limits=limits)
    return LockFile(Path(os.path.abspath(path)), {})


def lock_bytes(path: Path) -> bytes:
    """The bytes of a lock file.

    Raises:
        LockFileError: it is not there, is no regular file, is too large, or cannot be read.
    """
    try:
        descriptor = os.open(path, _FLAGS)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise LockFileError("is no regular file", location=str(path))
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        if os.path.islink(path):
            raise LockFileError(
                f"is a link to {shown(os.readlink(path), 200)}, and nothing is there",
                location=str(path),
                hint="remove the link, or put the file there",
            ) from None
        raise LockFileError(
            "there is no such lock file",
            location=str(path),
            hint="`memoryfield lock add NAME LOCATION` makes one",
        ) from None
    except OSError as error:
        raise LockFileError(f"cannot be read: {reason_of(error)}", location=str(path)) from error
    if len(data) > MOST_BYTES:
        raise LockFileError(f"has more than {MOST_BYTES} bytes", location=str(path))
    return data


def parse_lock(data: bytes, path: Path, *, limits: Limits = DEFAULT_LIMITS) -> LockFile:
    """What the bytes of a lock file say, all of which is checked.

    Arguments:
        data: the bytes.
        path: where they stand, for messages and for relative paths.
        limits: how many files a field may have.

    Raises:
        LockFileError: they mean nothing, or were written by a newer version.
        PinMismatch: a manifest in it is not the one of its field pin.
        LimitExceeded: a field in it has more files than the limits allow.
    """
    here = Path(os.path.abspath(path))
    place = _Place(str(path))
    table = _table(data, place)
    _check_version(table, place)
    fields = table.get("fields", {})
    if not isinstance(fields, dict):
        place.at("fields").refuse("is no table")
    place = place.at("fields")
    found = {name: _field(name, each, place.at(name), limits) for name, each in fields.items()}
    rest = {key: value for key, value in table.items() if key not in ("version", "fields")}
    _check_rest(rest, place.of_file())
    return LockFile(here, found, rest)


class _Place:
    """A place in the file, for messages."""

    def __init__(self, file: str, key: str = "") -> None:
        self.file = file
        self._key = key

    def at(self, key: str) -> _Place:
        part = key if is_field_name(key) and "." not in key else shown(key, 70)
        return _Place(self.file, f"{self._key}.{part}" if self._key else part)

    def of_file(self) -> _Place:
        return _Place(self.file)

    def hint(self) -> str | None:
        """What to do about a field that something is wrong with."""
        return _AS_IT_WAS if self._key else None

    def say(self, problem: str) -> str:
        return f"{self._key} {problem}" if self._key else problem

    def refuse(self, problem: str, hint: str | None = None) -> NoReturn:
        raise LockFileError(self.say(problem), location=self.file, hint=hint or self.hint())


def _table(data: bytes, place: _Place) -> dict[str, Any]:
    if len(data) > MOST_BYTES:
        place.refuse(f"has more than {MOST_BYTES} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        place.refuse(f"is not UTF-8: see byte {error.start}")
    if text.startswith("\ufeff"):
        place.refuse("begins with a byte order mark", hint="save it as UTF-8 without BOM")
    problem = shape_problem(text)
    if problem:
        place.refuse(problem)
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also a number of too many digits
        line = _line_of_conflict(text)
        if line is not None:
            place.refuse(
                f"conflict markers of a merge stand in line {line}",
                hint="a merge has left its marks in it: take the side that you have reviewed",
            )
        said = visible(str(error).partition("\n")[0])[:200]
        place.refuse(f"is no TOML: {said}", hint=_AS_IT_WAS)


def _line_of_conflict(text: str) -> int | None:
    """The first line that holds a mark of a merge that was broken off."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith(_CONFLICT):
            return number
    return None


def _check_version(table: Mapping[str, Any], place: _Place) -> None:
    version = table.get("version")
    if not _is_number(version):
        place.refuse(f"has no `version`, or one that is no number: is it a {LOCK_NAME}?")
    if version > VERSION:
        newer = version if version <= _MOST_NUMBER else "a huge number"
        place.refuse(
            f"was written by a newer version: its format is {newer}, and {VERSION} is known",
            hint="update memoryfield-kit",
        )
    if version < VERSION:
        place.refuse("has a `version` below 1, of which nothing is known")


def _field(name: str, table: Any, place: _Place, limits: Limits) -> LockedField:
    if not is_field_name(name):
        place.refuse("is no name of a field: letters, digits, `.`, `_` and `-`, 64 at most")
    if not isinstance(table, dict):
        place.refuse("is no table")
    location, resolved = _origin(table, place)
    manifest = _hashes(table, "manifest", place, limits)
    if not manifest:
        place.at("manifest").refuse("has no line")
    indexes = _hashes(table, "indexes", place, limits) if "indexes" in table else {}
    archive_pin, archive_size = None, None
    if "archive_pin" in table or "archive_bytes" in table:
        archive_pin = _pin(table, "archive_pin", PinKind.ARCHIVE, place)
        archive_size = _number(table, "archive_bytes", place)
    field_pin = _pin(table, "field_pin", PinKind.FIELD, place)
    size = _number(table, "bytes", place)
    rest = {key: value for key, value in table.items() if key not in _KNOWN}
    _check_rest(rest, place)
    lines = Manifest(manifest)
    _check_pin(lines, field_pin, place)
    return LockedField(
        name,
        location,
        field_pin,
        lines,
        resolved,
        archive_pin,
        size=size,
        archive_size=archive_size,
        indexes=indexes,
        rest=rest,
    )


def _origin(table: Mapping[str, Any], place: _Place) -> tuple[str, str | None]:
    location = _text(table, "location", place)
    try:
        at = parsed(location)
    except LocationError as error:
        # Of what may hold a credential nothing is repeated.
        place.at("location").refuse(f"is no location: {error.message}", hint=error.hint)
    if "resolved" not in table:
        return location, None
    resolved = _text(table, "resolved", place)
    try:
        problem = origin_problem(at, parsed(resolved))
    except LocationError as error:
        place.at("resolved").refuse(f"is no location: {error.message}", hint=error.hint)
    if problem:
        place.at("resolved").refuse(f"is not of `location`: it {problem}")
    return location, resolved


def _hashes(table: Mapping[str, Any], key: str, place: _Place, limits: Limits) -> dict[str, str]:
    lines = table.get(key)
    at = place.at(key)
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        at.refuse("is missing, or no array of lines")
    if len(lines) > limits.entries:
        raise LimitExceeded(
            at.say(f"has {len(lines)} lines, over the limit of {limits.entries}"),
            location=place.file,
            hint=raise_limit("entries"),
        )
    try:
        return hashes_of(lines, IN_MANIFEST if key == "manifest" else INDEXES)
    except ValueError as error:
        at.refuse(f"is no list of files: {error}")


def _pin(table: Mapping[str, Any], key: str, kind: PinKind, place: _Place) -> Pin:
    text = _text(table, key, place)
    try:
        pin = parse_pin(text)
    except InvalidPin as error:
        place.at(key).refuse(f"is no pin: {error.message}")
    if pin.kind is not kind or str(pin) != text:
        place.at(key).refuse(f"is no pin that begins with {kind.value}: and has small letters")
    return pin


def _text(table: Mapping[str, Any], key: str, place: _Place) -> str:
    text = table.get(key)
    if not isinstance(text, str) or not text:
        place.at(key).refuse("is missing, empty, or no text")
    return text


def _number(table: Mapping[str, Any], key: str, place: _Place) -> int:
    number = table.get(key)
    if not _is_number(number) or not 0 <= number <= _MOST_NUMBER:
        place.at(key).refuse("is missing, or no number of bytes")
    return number


def _is_number(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_pin(manifest: Manifest, pin: Pin, place: _Place) -> None:
    """Refuse a manifest that is not the one of the field pin."""
    actual = manifest.digest
    if actual != str(pin):
        raise PinMismatch(
            place.say("is damaged: `manifest` is not the one that `field_pin` is made from"),
            location=place.file,
            hint="take it as it was committed, or remove the table and lock the field again",
            expected=str(pin),
            actual=actual,
            diagnosis="the lock file was edited by hand, or merged line by line",
        )


def _check_rest(value: Any, place: _Place) -> None:
    """Refuse numbers that no program can be expected to write again."""
    if isinstance(value, dict):
        for key, each in value.items():
            _check_rest(each, place.at(key))
    elif isinstance(value, list):
        for each in value:
            _check_rest(each, place)
    elif _is_number(value) and not -_MOST_NUMBER - 1 <= value <= _MOST_NUMBER:
        place.refuse("is a number of more than 64 bits")
