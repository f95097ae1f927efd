"""What obeys and breaks MF101 to MF105: what kinds of things stand in a field."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

from tests.validator.cases import Found, error, folder, info, one, warning, zipped
from tests.validator.fields import archive, page

from memoryfield_validator.conformance.raw_zip import DEFLATED, ZipEntry, zip_bytes

_NO_PAGE = error("MF101", file=None, says="there is no page at the root")


def _subdirectory(name: str) -> Found:
    return info("MF103", file=name, says="a sub-directory is no part of the field")


def _nested(name: str, folder: str) -> Found:
    return warning("MF102", file=name, says=(f"stands in `{folder}`", "not a page"))


def _debris(name: str) -> Found:
    return info("MF104", file=name, says=(f"`{name}` is debris", "readers ignore"))


def _shipped(name: str) -> Found:
    return warning("MF104", file=name, says=(f"`{name}` is debris", "readers ignore"))


def _irregular(problem: str, name: str = "link.md") -> Found:
    return error("MF105", file=name, says=f"`{name}` is {problem}")


def _link(target: str, name: str = "link.md") -> Callable[[Path], None]:
    return lambda path: os.symlink(target, path / name)


def _circle(path: Path) -> None:
    os.symlink("other.md", path / "link.md")
    os.symlink("link.md", path / "other.md")


def _link_out(path: Path) -> None:
    (path.parent / "secret.md").write_text(page(number=7))
    os.symlink("../secret.md", path / "link.md")


def _link_home(path: Path) -> None:
    os.symlink(path / "a.md", path / "link.md")


def _socket(path: Path) -> None:
    before = Path.cwd()
    os.chdir(path)  # the name of a socket is at most some hundred bytes long
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("link.md")
    finally:
        os.chdir(before)


_PLAIN = {"a.md": page()}

CONTAINER = (
    folder("MF101", "one page", _PLAIN),
    folder("MF101", "index.md alone", {"index.md": page()}),
    folder(
        "MF101",
        "a page with a bad name counts",
        {"A.md": page()},
        error("MF201", file="A.md", says="`A.md`", hint="`a.md`", fixable=True),
    ),
    folder("MF101", "an empty folder", {}, _NO_PAGE),
    folder("MF101", "an attachment alone", {"a.txt": "x"}, _NO_PAGE),
    zipped("MF101", "an empty archive", zip_bytes(), _NO_PAGE),
    folder(
        "MF101",
        "pages in several folders",
        {"x/a.md": page(), "y/b.md": page()},
        error("MF101", file=None, says="no page at the root", hint="with --each"),
        _nested("x/a.md", "x/"),
        _nested("y/b.md", "y/"),
        _subdirectory("x/"),
        _subdirectory("y/"),
    ),
    folder(
        "MF101",
        "a folder that is named as a page",
        {"a.md/b.txt": "x"},
        _NO_PAGE,
        _subdirectory("a.md/"),
    ),
    folder("MF102", "a log that is no Markdown", _PLAIN | {"log/x.txt": ""}, _subdirectory("log/")),
    folder(
        "MF102",
        "debris in a folder",
        _PLAIN | {"x/.b.md": "", "x/c.sync-conflict-1.md": "", "x/y/d.md~": ""},
        _subdirectory("x/"),
        _debris("x/.b.md"),
        _debris("x/c.sync-conflict-1.md"),
        _debris("x/y/d.md~"),
    ),
    folder(
        "MF102",
        "pages in folders",
        _PLAIN | {"x/b.md": "", "x/y/c.md": "", "x/d.MD": ""},
        _nested("x/b.md", "x/"),
        _nested("x/y/c.md", "x/y/"),
        _subdirectory("x/"),
    ),
    folder("MF103", "a flat field", _PLAIN | {"pan.png": "x"}),
    folder("MF103", "a folder that is debris", _PLAIN | {".obsidian/x": ""}, _debris(".obsidian/")),
    folder(
        "MF103",
        "folders within one",
        _PLAIN | {"x/y/z/pan.png": "x", "v/pan.png": "x"},
        _subdirectory("x/"),
        _subdirectory("v/"),
    ),
    zipped(
        "MF103",
        "folders of an archive, named and implied",
        zip_bytes(ZipEntry("a.md", page().encode()), ZipEntry("x/"), ZipEntry("y/pan.png")),
        _subdirectory("x/"),
        _subdirectory("y/"),
    ),
    folder("MF104", "no debris", _PLAIN | {"desktop.txt": "", "thumbs.db": "", "a~b.txt": ""}),
    folder("MF104", "the repository that carries it", _PLAIN | {".git/HEAD": "", ".git/b.md": ""}),
    *(
        folder("MF104", f"in a folder: {name}", _PLAIN | {name: "x"}, _debris(name))
        for name in (
            ".DS_Store",
            "desktop.ini",
            "Thumbs.db",
            ".x.md",
            "._a.md",
            "a.md~",
            "~",
            "a.sync-conflict-20260301-090000-ABCDEFG.md",
        )
    ),
    folder(
        "MF104",
        "the topmost component alone is told",
        _PLAIN | {"__MACOSX/a": "", "__MACOSX/.b": "", "x/.git/HEAD": "", "x/.git/b.md": ""},
        _debris("__MACOSX/"),
        _debris("x/.git/"),
        _subdirectory("x/"),
    ),
    *(
        zipped(
            "MF104",
            f"in an archive, {how}",
            archive(_PLAIN | {"__MACOSX/._a.md": "\x00", ".DS_Store": "\x00", "b.md~": ""}, method),
            _shipped("__MACOSX/"),
            _shipped(".DS_Store"),
            _shipped("b.md~"),
        )
        for how, method in (("stored", 0), ("deflated", DEFLATED))
    ),
)

LINKS = (
    one("MF105", "a regular file", page()),
    folder(
        "MF105",
        "a link to a page",
        _PLAIN,
        error("MF307", 5, 7, file="link.md", says="`a.md`"),
        prepare=_link("a.md"),
    ),
    folder(
        "MF105",
        "a link to a file in a folder",
        _PLAIN | {"x/b": page(number=1)},
        _subdirectory("x/"),
        prepare=_link("x/../x/./b"),
    ),
    folder(
        "MF105", "debris that leads nowhere", _PLAIN, _debris("link~"), prepare=_link("b", "link~")
    ),
    folder(
        "MF105", "a FIFO", _PLAIN, _irregular("a FIFO"), prepare=lambda p: os.mkfifo(p / "link.md")
    ),
    folder("MF105", "a socket", _PLAIN, _irregular("a socket"), prepare=_socket),
    folder(
        "MF105", "a link to nowhere", _PLAIN, _irregular("a link to nowhere"), prepare=_link("b")
    ),
    folder(
        "MF105",
        "a link out of the root",
        _PLAIN,
        _irregular("a link that leaves"),
        prepare=_link_out,
    ),
    folder(
        "MF105",
        "an absolute link into the root",
        _PLAIN,
        _irregular("a link that leaves"),
        prepare=_link_home,
    ),
    folder(
        "MF105",
        "a link to a folder",
        _PLAIN | {"x/b": ""},
        _irregular("a link to a folder"),
        _subdirectory("x/"),
        prepare=_link("x"),
    ),
    folder(
        "MF105",
        "links in a circle",
        _PLAIN,
        _irregular("a link that leads in a circle"),
        _irregular("a link that leads in a circle", "other.md"),
        prepare=_circle,
    ),
    folder(
        "MF105",
        "an attachment that is a device",
        _PLAIN,
        _irregular("a link that leaves", "pan.png"),
        prepare=_link("/dev/null", "pan.png"),
    ),
)

CASES = (*CONTAINER, *LINKS)
