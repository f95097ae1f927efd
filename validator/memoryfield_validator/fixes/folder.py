"""A folder that pages are written to: nothing outside of it is, whatever links are in it."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import accumulate
from pathlib import Path
from types import TracebackType
from typing import Self

from memoryfield_readers import (
    AccessDenied,
    MemoryfieldError,
    NotFollowed,
    PageError,
    RootedFolder,
    SourceChanged,
    SourceUnavailable,
    follow_link,
    is_page_name,
    shown,
)
from memoryfield_readers.atomic import (
    ANCHORED,
    Directory,
    check_replaceable,
    is_same_entry,
    rename_file,
    replace_file,
)
from memoryfield_readers.journal import is_under_way

_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_DENIED = (errno.EACCES, errno.EPERM, errno.EROFS)
_ANOTHER = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EMLINK, errno.EISDIR)
"""What fails where a file or folder is not the one it was."""


class WritableFolder:
    """The folder of a field, open for mending; use it as a context manager."""

    def __init__(self, path: Path, location: str) -> None:
        """Open a folder; raises as `rewrite` does."""
        self._path = path
        self._location = location
        self._links: dict[str, str] | None = None
        with self._errors(None):
            self._root = RootedFolder(path)
            self._descriptor = os.open(path, _FOLDER_FLAGS) if ANCHORED else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.sync()
        self._root.close()
        if self._descriptor is not None:
            os.close(self._descriptor)

    def check_at_rest(self) -> None:
        """See that no batch of edits was left off in the folder.

        Raises:
            SourceUnavailable: one was: what the pages are is not only what the files hold.
        """
        with self._errors(None):
            if is_under_way(self._root):
                raise SourceUnavailable(
                    "cannot be mended: a batch of edits was cut off here",
                    location=self._location,
                    hint="run `memoryfield recover` on the folder first",
                )

    def sync(self) -> None:
        """Have on the disk what has been replaced and renamed so far."""
        with self._errors(None), self._directory([]) as directory:
            _sync(directory)

    def rewrite(self, name: str, before: bytes, after: bytes) -> None:
        """Put other bytes in the place of those of a file, which must still be there.

        Arguments:
            name: the file's path in the folder; no link is followed on it.
            before: the bytes that it has.
            after: those that it gets.

        Raises:
            PageError: it is a link by now, or its path leads through one.
            SourceChanged: the page is another one by now.
            AccessDenied: it may not be written.
            SourceUnavailable: something else stands in the way.
        """
        *folders, file = self._parts(name)
        with self._errors(name), self._directory(folders) as directory:
            if not replace_file(directory, file, before, after):
                raise self._changed(name)
            if folders:
                _sync(directory)

    def check_rewrite(self, name: str, before: bytes) -> None:
        """See whether a page can be rewritten, as far as that can be seen; raises as `rewrite`."""
        *folders, file = self._parts(name)
        with self._errors(name), self._directory(folders) as directory:
            if not check_replaceable(directory, file, before):
                raise self._changed(name)

    def check_rename(self, name: str, to: str) -> None:
        """See whether a page can be renamed, before anything is written.

        Raises:
            SourceChanged: the new name is taken.
            PageError: a link in the folder leads to the page, and would lead nowhere; or the page
                is itself a link, and another one may lead through it.
        """
        if len(self._parts(name)) > 1:
            raise PageError("is in a sub-directory", location=self._location, entry=name)
        self._check_new_name(name, to)
        with self._errors(name), self._directory([]) as directory:
            if directory.has(to) and not is_same_entry(directory, name, to):
                raise self._taken(name, to)
            link = self._links_by_target().get(name)
            if link is not None:
                raise PageError(
                    f"cannot be renamed: the link {shown(link)} leads to it",
                    location=self._location,
                    entry=name,
                    hint=f"let the link lead to {shown(to)}, and rename the page by hand",
                )

    def rename(self, name: str, to: str) -> None:
        """Give a page another name; no file is ever overwritten. Raises as `rewrite` does."""
        self._check_new_name(name, to)
        with self._errors(name), self._directory([]) as directory:
            try:
                rename_file(directory, name, to)
            except FileExistsError:
                raise self._taken(name, to) from None

    def _parts(self, path: str) -> list[str]:
        """The components of the path of a file in the folder.

        Raises:
            PageError: it leads out of the folder, or through a link.
        """
        parts = path.split("/")
        if any(part in ("", ".", "..") or os.sep in part or "\0" in part for part in parts):
            raise PageError("is no path of a file", location=self._location, entry=path)
        with self._errors(path):
            for here in accumulate(parts, "{}/{}".format):
                if stat.S_ISLNK(self._root.lstat(here).st_mode):
                    raise PageError(
                        "cannot be mended: it is a link by now",
                        location=self._location,
                        entry=path,
                        hint="run it again",
                    )
        return parts

    def _links_by_target(self) -> Mapping[str, str]:
        """The links at the root, by the files that they lead to."""
        if self._links is None:
            self._links = {}
            with self._directory([]) as directory:
                for link in directory.links():
                    with suppress(NotFollowed):
                        self._links["/".join(follow_link(self._root, link)[0])] = link
        return self._links

    def _changed(self, name: str) -> SourceChanged:
        return SourceChanged(
            "changed while it was being mended, and is left as it is",
            location=self._location,
            entry=name,
            hint="run it again",
        )

    def _check_new_name(self, name: str, to: str) -> None:
        if not is_page_name(to):
            raise PageError(
                f"cannot be renamed: {shown(to)} is no page name",
                location=self._location,
                entry=name,
            )

    def _taken(self, name: str, to: str) -> SourceChanged:
        return SourceChanged(
            f"cannot be renamed: the name {shown(to)} is taken by now",
            location=self._location,
            entry=name,
        )

    @contextmanager
    def _directory(self, folders: list[str]) -> Iterator[Directory]:
        """The folder, or one below it; no link is followed on the way."""
        path = self._path.joinpath(*folders)
        if self._descriptor is None:
            yield Directory(path, None)
            return
        current = os.dup(self._descriptor)
        try:
            for part in folders:
                deeper = os.open(part, _FOLDER_FLAGS | _NO_FOLLOW, dir_fd=current)
                os.close(current)
                current = deeper
            yield Directory(path, current)
        finally:
            os.close(current)

    @contextmanager
    def _errors(self, name: str | None) -> Iterator[None]:
        """Turn errors of the system into ours."""
        try:
            yield
        except OSError as error:
            raise self._error(error, name) from error

    def _error(self, error: OSError, name: str | None) -> MemoryfieldError:
        reason = (error.strerror or type(error).__name__).lower()
        kind: type[MemoryfieldError] = SourceUnavailable
        if error.errno in _DENIED:
            kind = AccessDenied
        elif error.errno in _ANOTHER:
            kind = SourceChanged
        return kind(f"cannot be written: {reason}", location=self._location, entry=name)


def _sync(directory: Directory) -> None:
    """Have names on the disk, as far as it says so: the files have them already."""
    with suppress(OSError):
        directory.sync()
