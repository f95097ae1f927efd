"""The index of a folder that a server makes in HTML: which files and folders it links to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from ..errors import LocationError
from ..markdown.code import without_comments
from .urls import origin_of

_TAG = re.compile(r"<(?:a|base)\s[^<>]{1,4096}+>", re.IGNORECASE)
"""A tag that says where it leads. Only such a piece is given to the parser, which takes time by the
square of what it is given; a name of 255 bytes has room in it twice."""

_TITLE = re.compile(r"<title>\s*+(?:index of\b|directory listing\b)", re.IGNORECASE)
"""How servers call the index of a folder; a page of somebody's begins otherwise."""

_TAGS_A_NAME, _OTHER_TAGS = 4, 64
"""So many different tags are looked at, a name and besides: some servers link each file twice."""

_QUERY_OR_FRAGMENT = re.compile(r"[?#]")


class IndexPage(NamedTuple):
    """What a page in HTML links to in its own folder.

    Attributes:
        files: names of files, each once, in the order of the page.
        folders: names of sub-directories.
        refused: what is no plain name once it is decoded.
        is_index: whether it calls itself the index of a folder.
        has_more: whether it was not read to its end, because there is more than is wanted.
    """

    files: tuple[str, ...]
    folders: tuple[str, ...]
    refused: tuple[str, ...]
    is_index: bool
    has_more: bool


def read_index_page(body: bytes, url: str, most: int) -> IndexPage:
    """What a page links to that is on its origin, in its folder, and has no query or fragment.

    Arguments:
        body: the page.
        url: where it came from, after redirects.
        most: how many names are wanted. Links to elsewhere may be more than these, but not many
            times as many.
    """
    text = without_comments(body.decode("utf-8", "surrogateescape"))
    folder = _Folder(url)
    files: dict[str, None] = {}
    folders: dict[str, None] = {}
    refused: dict[str, None] = {}
    has_more = False
    for number, link in enumerate(_links(text, url)):
        has_more = (
            len(files) + len(folders) + len(refused) > most
            or number > _TAGS_A_NAME * most + _OTHER_TAGS
        )
        if has_more:
            break
        parts = folder.below(link)
        if not parts:
            continue
        name = unquote(parts[0], errors="surrogateescape")
        if not is_plain(name):
            refused.setdefault(name)
        elif len(parts) == 1:
            files.setdefault(name)
        else:
            folders.setdefault(name)
    for each in folders:  # a link without its slash leads to the same folder
        files.pop(each, None)
    is_index = _TITLE.search(text) is not None
    return IndexPage(tuple(files), tuple(folders), tuple(refused), is_index, has_more)


def folder_of(url: str) -> str:
    """The URL of the folder in which something lies; it ends in a slash."""
    parts = urlsplit(url)
    path = parts.path.rpartition("/")[0] + "/"
    return parts._replace(path=path, query="", fragment="").geturl()


def is_plain(name: str) -> bool:
    """Whether a name is one component of a path, and means no other file than it says."""
    return name not in ("", ".", "..") and not any(each in name for each in "/\\\x00")


class _Folder:
    """The folder in which a page lies."""

    def __init__(self, url: str) -> None:
        self._origin = origin_of(url)
        self._above = [unquote(part) for part in urlsplit(folder_of(url)).path.split("/")[:-1]]

    def below(self, url: str | None) -> tuple[str, ...]:
        """What a URL adds to that of the folder, encoded: a name, and "" behind it for a folder.

        Returns:
            Nothing for what leads elsewhere, to the folder itself, or further down.
        """
        if url is None or _QUERY_OR_FRAGMENT.search(url):
            return ()
        try:
            if origin_of(url) != self._origin:
                return ()
        except LocationError:
            return ()
        parts = urlsplit(url).path.split("/")
        deep = len(self._above)
        below = tuple(parts[deep:])
        here = len(below) == 1 or (len(below) == 2 and not below[1])
        if not here or not below[0]:
            return ()
        return below if [unquote(part) for part in parts[:deep]] == self._above else ()


def _links(text: str, url: str) -> Iterator[str | None]:
    """Where each tag leads that is not the same as another; None where that is nowhere."""
    base, reader = url, _TagReader()
    seen: set[str] = set()
    for tag in _TAG.finditer(text):
        if tag[0] in seen:
            continue
        seen.add(tag[0])
        name, target = reader.read(tag[0])
        if name == "base":
            base = _joined(url, target) or base
        yield _joined(base, target) if target and name == "a" else None


def _joined(base: str, target: str) -> str | None:
    try:
        return urljoin(base, target)
    except ValueError:  # what looks like an address of IPv6
        return None


class _TagReader(HTMLParser):
    """Reads one tag at a time."""

    def read(self, text: str) -> tuple[str, str]:
        """The name of a tag in lower case, and where it leads; empty for what says nothing."""
        self.reset()
        self._found = ("", "")
        self.feed(text)
        return self._found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep where a tag leads; of two such attributes the first counts."""
        targets = [value for name, value in attrs if name == "href" and value is not None]
        self._found = (tag, targets[0].strip(" \t\r\n\f") if targets else "")
