"""What each thing that a person gives stands for: a pattern, a list, a lock file, or a field."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO, NamedTuple

from memoryfield_readers import (
    DEFAULT_LIMITS,
    Limits,
    LocationError,
    MemoryfieldError,
    SourceUnavailable,
)
from memoryfield_readers.locations import LocalLocation, parse_location
from memoryfield_readers.lock import locked_field
from memoryfield_readers.transfer.options import TransferOptions

from ..values import Refused, Target
from .buckets import in_bucket, is_bucket
from .folders import in_folders
from .lists import STDIN, Line, is_list, listed_in, listed_on_stdin
from .locks import is_lock, locked_in, locked_target
from .patterns import is_wild
from .places import MOST_LOCATION, elsewhere, identity_of, refused, shown, target_of
from .seen import Seen

_MOST_SAID = 200
"""So many characters of a bad line are shown."""


def targets(
    patterns: Iterable[str],
    *,
    storage_options: Mapping[str, Any] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    stdin: BinaryIO | None = None,
    is_here: bool = True,
) -> Iterator[Target | Refused]:
    """The fields that are meant, one after the other as they are found, each location once.

    The order is that of what is given; within a pattern it is that of the store's listing, or of
    the names in a folder. Nothing is listed before it is wanted, and what is kept in memory does
    not grow with the number of fields. Where something cannot be read to its end, what came before
    is given out, and then why no more comes.

    Arguments:
        patterns: what was given, as texts:
            a pattern of paths or of `s3://` URLs, with `*`, `?` and `[…]` within one name and `**`
            for any number of folders; with a slash at its end it means folders, with `.zip`
            archives, else both;
            a file of locations, one in a line, whose name ends in `.txt` or `.list`, or "-" for
            stdin;
            a lock file, whose name ends in `.lock` or `.toml`; or
            a location, as `open_field` takes it.
        storage_options: how stores are reached, as `open_field` takes it.
        limits: how many entries of a field on this machine to look at for its version.
        stdin: what to read for "-"; None for stdin itself.
        is_here: whether paths are read on this machine. If not, they are given out absolute, and
            what this machine sees there makes no version; patterns, lists and lock files are read
            here all the same.

    Raises:
        LocationError: an option makes no sense.
    """
    options = TransferOptions.of(storage_options)
    return _each_once(patterns, _Ways(options, limits, stdin, is_here))


class _Ways(NamedTuple):
    """How what is given is read; see `targets`."""

    options: TransferOptions
    limits: Limits
    stdin: BinaryIO | None
    is_here: bool


def _each_once(patterns: Iterable[str], ways: _Ways) -> Iterator[Target | Refused]:
    numbers = itertools.count(2)
    with Seen() as seen:
        for text in patterns:
            for found in _to_its_end(text, _meant(text, ways)):
                try:
                    new = _if_new(found, seen, numbers, is_here=ways.is_here)
                except SourceUnavailable as error:  # no other one could be told apart either
                    yield refused(found.location, error)
                    return
                if new is not None:
                    yield new


def _if_new(
    found: Target | Refused, seen: Seen, numbers: Iterator[int], *, is_here: bool
) -> Target | Refused | None:
    """What was found, if it was not found before; raises `SourceUnavailable`."""
    if isinstance(found, Target):
        try:
            identity = identity_of(found.location)
        except LocationError as error:  # a name that reads like a URL once its file is gone
            found = refused(found.location, error)
        else:
            found = found if is_here else elsewhere(found)
            return found if seen.is_new(identity) else None
    if not seen.is_new(f"given {found.given or found.location}"):
        return None
    if not seen.is_new(f"shown {found.location}"):  # what differs may not be shown
        return replace(found, location=f"{found.location} ({next(numbers)})")
    return found


def _to_its_end(text: str, found: Iterator[Target | Refused]) -> Iterator[Target | Refused]:
    """What is found, and why no more comes, where it breaks off."""
    try:
        yield from found
    except MemoryfieldError as error:
        yield refused(text, error)


def _meant(text: str, ways: _Ways) -> Iterator[Target | Refused]:
    if text == STDIN:
        return _of_lines(listed_on_stdin(ways.stdin), ways)
    if len(text) > MOST_LOCATION:
        return iter([target_of(text, ways.limits)])  # which refuses it
    if is_bucket(text) and is_wild(text.partition("?versionId=")[0]):
        return in_bucket(text, ways.options)
    if _is_path(text):
        return _at_path(text, ways)
    return iter([_single(text, ways)])


def _at_path(text: str, ways: _Ways) -> Iterator[Target | Refused]:
    if is_wild(text) and not os.path.lexists(text):
        return in_folders(text, ways.limits)
    if is_list(text):
        return _of_lines(listed_in(text), ways)
    if is_lock(text):
        return locked_in(text, ways.limits, is_here=ways.is_here)
    return iter([_single(text, ways)])


def _is_path(text: str) -> bool:
    try:
        return isinstance(parse_location(text), LocalLocation) and "://" not in text
    except LocationError:
        return False


def _of_lines(lines: Iterator[Line], ways: _Ways) -> Iterator[Target | Refused]:
    for place, text, error in lines:
        found = _single(text, ways) if error is None else refused(text, error)
        if isinstance(found, Target):
            yield found
            continue
        if error is None and is_wild(text) and not os.path.lexists(text):
            found.error.hint = "patterns go on the command line; a list names each location"
        said = shown(text)
        said = said if len(said) <= _MOST_SAID else said[: _MOST_SAID - 1] + "…"
        yield Refused(f"{place}: {said}", found.error, text)


def _single(text: str, ways: _Ways) -> Target | Refused:
    """One location: a field of the nearest lock file, if it names one."""
    limits = ways.limits
    try:
        found = locked_field(text, limits=limits)
    except MemoryfieldError as error:
        return refused(text, error)
    if found is not None:
        return locked_target(*found, limits, is_here=ways.is_here)
    return target_of(text, limits, is_here=ways.is_here)
