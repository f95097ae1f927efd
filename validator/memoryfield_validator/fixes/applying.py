"""A proposal written to a folder: each page before or after, never between.

Pages are written first and renamed last: a run that is cut off leaves links to names that the next
run brings about.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from memoryfield_readers import LocationError, NotFound

from .folder import WritableFolder
from .proposal import Proposal, Rewrite


def apply(
    proposal: Proposal, location: object, *, progress: Callable[[], None] | None = None
) -> None:
    """Make the changes of a proposal, one after the other.

    Arguments:
        proposal: what to do.
        location: the folder that it was made for, as it was opened.
        progress: called after each change.

    Raises:
        LocationError: the location is no folder on this machine; an archive is never written.
        NotFound: the folder does not exist.
        AccessDenied: a file may not be written; it is as it was, and named.
        SourceChanged: a page is not what it was when it was read, or a new name is taken by now.
        PageError: a link leads out of the folder, or to a page that is to be renamed.
        SourceUnavailable: something else stands in the way.
    """
    path = writable_folder(location)
    if not proposal.changes:
        return
    done = progress or (lambda: None)
    with WritableFolder(path, str(path)) as folder:
        for rename in proposal.renames:
            folder.check_rename(rename.name, rename.to)
        for rewrite in _each_file_once(proposal.rewrites, folder):
            folder.rewrite(rewrite.name, rewrite.before, rewrite.after)
            done()
        folder.sync()
        for rename in proposal.renames:
            folder.rename(rename.name, rename.to)
            done()


def writable_folder(location: object) -> Path:
    """The folder that a location names.

    Raises:
        LocationError: it is an archive, bytes or a file object, or no folder for another reason.
        NotFound: it does not exist.
    """
    if not isinstance(location, str | os.PathLike):
        raise _no_folder(f"a {type(location).__name__} is no folder", None)
    text = os.fsdecode(location)
    path = Path(text)
    if text.lower().startswith("file:") and not path.exists():
        decoded = unquote(urlsplit(text).path, errors="surrogateescape")
        path = Path(decoded.lstrip("/") if os.name == "nt" else decoded)
    if path.is_dir():
        return path
    if not path.exists():
        raise NotFound("there is no such folder", location=text)
    raise _no_folder("is no folder: only pages in folders are mended", text)


def _no_folder(message: str, location: str | None) -> LocationError:
    hint = "unpack an archive, mend the folder, and pack it again"
    return LocationError(message, location=location, hint=hint)


def _each_file_once(rewrites: Iterable[Rewrite], folder: WritableFolder) -> list[Rewrite]:
    """The rewrites without those of links to a file that is rewritten under its own name."""
    by_file: dict[tuple[str, ...], Rewrite] = {}
    for rewrite in rewrites:
        file = folder.file_of(rewrite.name)
        if file == (rewrite.name,):
            by_file[file] = rewrite
        else:
            by_file.setdefault(file, rewrite)
    return list(by_file.values())
