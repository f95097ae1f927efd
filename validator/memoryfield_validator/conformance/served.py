"""Cases on a server: a folder with an index in HTML, or an archive that is read by range."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import escape
from urllib.parse import quote
from urllib.request import getproxies, proxy_bypass

from memoryfield_readers import is_debris

from .case import ARCHIVE_NAME, Archive, Case
from .errors import CannotCarry
from .implementation import Elsewhere
from .loopback_server import Content, LoopbackServer
from .places import archive_bytes

_OPTIONS: Mapping[str, object] = {"anon": True, "retries": 0}
_INSTEAD_OF_INDEX = frozenset({"listing.md", "memoryfield.zip"})
"""What a reader asks for first: where a server has it, its index is not looked at."""


class _Served(ABC):
    """Cases on a server of their own, one at a time."""

    def __init__(self) -> None:
        """Begin to serve.

        Raises:
            CannotCarry: a proxy would be asked for what is on this machine.
        """
        if "http" in getproxies() and not proxy_bypass("127.0.0.1"):
            raise CannotCarry("a proxy stands before this machine: set NO_PROXY=127.0.0.1")
        self._server = LoopbackServer()

    @contextmanager
    def put(self, case: Case) -> Iterator[Elsewhere]:
        """See `Carrier.put`."""
        path, files = self._files(case)
        top = f"/{case.id}/"
        self._server.files = {top + name: content for name, content in files.items()}
        try:
            yield Elsewhere(f"{self._server.base}{top}{path}", _OPTIONS)
        finally:
            self._server.files = {}

    def close(self) -> None:
        """End the server."""
        self._server.close()

    @abstractmethod
    def _files(self, case: Case) -> tuple[str, dict[str, Content]]:
        """What the location ends in, and what is served, all of it encoded."""


class ServedFolders(_Served):
    """Each case is a folder, which the server lists."""

    def _files(self, case: Case) -> tuple[str, dict[str, Content]]:
        _check_limits(case)
        files: dict[str, Content] = {}
        names: dict[str, None] = {}
        for file in case.files:
            top, slash, _ = file.name.partition("/")
            if top == ".git":
                raise CannotCarry(".git belongs to a directory, and no server lists it")
            if file.link is not None or file.special == "fifo":
                raise CannotCarry("a server has neither links nor FIFOs")
            if top in _INSTEAD_OF_INDEX and not slash:
                raise CannotCarry(f"where there is {top}, a server's index is not looked at")
            if "\\" in top:
                raise CannotCarry("elsewhere, what has a \\ in it is no name")
            if slash or file.content is None:
                names[f"{top}/"] = None
            else:
                names[top] = None
                files[_quoted(top)] = Content(file.content, "text/markdown; charset=utf-8")
        files[""] = Content(_index(names), "text/html; charset=utf-8")
        return "", files


class ServedArchives(_Served):
    """Each case is an archive, of which the server gives ranges."""

    def _files(self, case: Case) -> tuple[str, dict[str, Content]]:
        if isinstance(case.given, Archive):
            name, data = case.given.file_name, case.given.data
        else:
            name, data = ARCHIVE_NAME, archive_bytes(case.files)
        if not name.lower().endswith(".zip"):
            raise CannotCarry("a URL that does not end in .zip is that of a folder")
        path = _quoted(name)
        return path, {path: Content(data, "application/zip")}


def _check_limits(case: Case) -> None:
    """Refuse what is to be judged by what a server does not tell.

    Raises:
        CannotCarry: it is.
    """
    nested = any("/" in file.name for file in case.files)
    if nested and "entries" in case.settings:
        raise CannotCarry("a server lists no sub-directories, whose entries count here")
    limits = case.limits
    sizes = [
        len(file.content or b"")
        for file in case.files
        if "/" not in file.name and not is_debris(file.name)
    ]
    total = sum(size for size in sizes if size <= limits.file_bytes)
    if total > limits.total_bytes and max(sizes) > limits.file_bytes:
        raise CannotCarry("a server tells the size of one file only when others were too many")


def _index(names: Mapping[str, None]) -> bytes:
    """The list of a folder in HTML; the names of folders end in a slash."""
    links = "".join(f'<li><a href="{_quoted(name)}">{_shown(name)}</a></li>\n' for name in names)
    head = "<!DOCTYPE html>\n<html><head><title>Index of the field</title></head>"
    return f"{head}\n<body><ul>\n{links}</ul></body></html>\n".encode()


def _quoted(name: str) -> str:
    return quote(name, errors="surrogateescape")


def _shown(name: str) -> str:
    return escape(name.encode("utf-8", "replace").decode())
