"""What each thing that a person gives stands for: a pattern, a list, a lock file, or a field."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

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
from .places import MOST_LOCATION, identity_of, refused, target_of
from .seen import Seen


def targets(
    patterns: Iterable[str],
    *,
    storage_options: Mapping[str, Any] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    stdin: BinaryIO | None = None,
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

    Raises:
        LocationError: an option makes no sense.
    """
    options = TransferOptions.of(storage_options)
    return _each_once(patterns, options, limits, stdin)


def _each_once(
    patterns: Iterable[str], options: TransferOptions, limits: Limits, stdin: BinaryIO | None
) -> Iterator[Target | Refused]:
    with Seen() as seen:
        for text in patterns:
            for found in _to_its_end(text, _meant(text, options, limits, stdin)):
                if isinstance(found, Refused):
                    yield found
                    continue
                try:
                    identity = identity_of(found.location)
                except LocationError as error:  # a name that reads like a URL once its file is gone
                    yield refused(found.location, error)
                    continue
                try:
                    is_new = seen.is_new(identity)
                except SourceUnavailable as error:  # no other one could be told apart either
                    yield refused(found.location, error)
                    return
                if is_new:
                    yield found


def _to_its_end(text: str, found: Iterator[Target | Refused]) -> Iterator[Target | Refused]:
    """What is found, and why no more comes, where it breaks off."""
    try:
        yield from found
    except MemoryfieldError as error:
        yield refused(text, error)


def _meant(
    text: str, options: TransferOptions, limits: Limits, stdin: BinaryIO | None
) -> Iterator[Target | Refused]:
    if text == STDIN:
        return _of_lines(listed_on_stdin(stdin), limits)
    if len(text) > MOST_LOCATION:
        return iter([target_of(text, limits)])  # which refuses it
    if is_bucket(text) and is_wild(text.partition("?versionId=")[0]):
        return in_bucket(text, options)
    if _is_path(text):
        return _at_path(text, limits)
    return iter([_single(text, limits)])


def _at_path(text: str, limits: Limits) -> Iterator[Target | Refused]:
    if is_wild(text) and not os.path.lexists(text):
        return in_folders(text, limits)
    if is_list(text):
        return _of_lines(listed_in(text), limits)
    if is_lock(text):
        return locked_in(text, limits)
    return iter([_single(text, limits)])


def _is_path(text: str) -> bool:
    try:
        return isinstance(parse_location(text), LocalLocation) and "://" not in text
    except LocationError:
        return False


def _of_lines(lines: Iterator[Line], limits: Limits) -> Iterator[Target | Refused]:
    for place, text in lines:
        found = _single(text, limits) if isinstance(text, str) else Refused(place, text)
        if isinstance(found, Refused):
            found.error.location = place if found.error.location is None else found.error.location
            yield Refused(place, found.error)
        else:
            yield found


def _single(text: str, limits: Limits) -> Target | Refused:
    """One location: a field of the nearest lock file, if it names one."""
    try:
        found = locked_field(text, limits=limits)
    except MemoryfieldError as error:
        return refused(text, error)
    if found is not None:
        return locked_target(*found, limits)
    return target_of(text, limits)
