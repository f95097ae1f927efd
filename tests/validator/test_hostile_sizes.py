"""Pages that are built to take time or memory for ever take little of either."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from select import select
from typing import NamedTuple

import pytest
from tests.validator.fields import Files, page, write_files

MIB = 1024 * 1024
ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"
IN_FULL = {
    "links", "links into folders", "brackets that close", "definitions", "backticks", "comments",
    "URLs", "delimiters", "fields", "table marks", "file names", "NUL", "line feeds",
    "bytes that are no UTF-8",
}  # fmt: skip
"""Pages that are as large as one may be; others are a quarter of that, for which a step that takes
time by the square takes longer than our patience. With MEMORYFIELD_CRASH_ALL=1 all are so large."""

MOST = 100_000_000
PATIENCE = 60
CHILD = Path(__file__).with_name("measured_child.py")

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="measured by Linux's /proc"
)


class Filled(NamedTuple):
    """A page of any size: something, a unit as often as there is room for it, something."""

    unit: bytes
    before: bytes
    after: bytes

    def of(self, size: int) -> bytes:
        """The page of a size in bytes, or hardly less."""
        count = (size - len(self.before) - len(self.after)) // len(self.unit)
        return self.before + self.unit * count + self.after


def filled(unit: str, before: str = "", after: str = "") -> Filled:
    """Such a page."""
    return Filled(unit.encode(), before.encode(), after.encode())


def block(unit: str, before: str = "", after: str = "\n") -> bytes:
    """A page whose frontmatter is nearly as large as is allowed."""
    return b"---\n" + filled(unit, before, after).of(65_000) + b"---\nhttps://example.com/\n"


DEAD = "[](x) "
PAGES: dict[str, Filled | bytes] = {
    "links": filled("[](a)"),
    "links into folders": filled("[](%2e%2e/&amp;\\!)"),
    "brackets that open": filled("[", DEAD, "](x)"),
    "brackets that close": filled("](", DEAD),
    "brackets, escaped": filled("\\[", DEAD),
    "nothing but a target": filled("x", "[]("),
    "a target of escapes": filled("\\)", "[]("),
    "a target of parentheses": filled("(x)", "[]("),
    "a target and blanks": filled(" ", "[](x", "y"),
    "blanks in place of a target": filled(" ", "[]("),
    "definitions": filled("[x]: x\n"),
    "definitions without an end": filled("[x]:\n"),
    "a definition and blanks": filled(" ", "[x]: x", "y"),
    "a definition of quotes": filled('"x', "[x]: x"),
    "backticks": filled("`", DEAD),
    "backticks, one by one": filled("` ", DEAD),
    "backticks in paragraphs": filled("`\n\n", DEAD),
    "backslashes": filled("\\", DEAD, "`"),
    "fences": filled("```\n", DEAD),
    "fences that are none": filled("``` `\n~~~\n", DEAD),
    "indented code": filled("    x\n\n", DEAD + "\n\n"),
    "items of a list": filled("- x\n", DEAD),
    "comments": filled("<!---->", DEAD),
    "comments that never end": filled("<!--", DEAD),
    "titles that never end": filled('](x "', DEAD),
    "URLs": filled("a://b.md "),
    "letters before a URL": filled("a", after="://x.md"),
    "quotes and no fence": filled("> ", DEAD, "```"),
    "delimiters": filled("---\n"),
    "comments after a delimiter": filled("# x\n", "---\n"),
    "fields that never end": filled("a: b\n", "---\n"),
    "fields": filled("a: b\n"),
    "list marks": filled("- ", after="via"),
    "numbers of a list": filled("1. ", after="via"),
    "heading marks": filled("#", "via"),
    "table marks": filled("| ", after="via"),
    "schemes": filled("://"),
    "file names": filled("x.md "),
    "half a file name": filled("x-"),
    "conflict markers": filled("<<<<<<< \n"),
    "NUL": filled("\x00"),
    "line feeds": filled("\n", DEAD),
    "carriage returns": filled("\r"),
    "bytes that are no UTF-8": Filled(b"\xff", b"", b""),
    "many keys": block("a: b\n"),
    "keys of a number": block("1: b\n"),
    "keys in brackets": block("[1]: b, ", "x: {", "}\n"),
    "question marks": block("? "),
    "keys within keys": f"---\n? {'{? ' * 30}a{'}' * 30}\n: b\n---\n".encode(),
    "brackets in frontmatter": block("["),
    "items": block("- "),
    "blanks after a bad value": block(" ", "@a", "x\n"),
    "blanks after a key": block(" ", "a", "\n@\n"),
    "a comment far away": block(" ", "title: x", "# x\n"),
    "digits": block("9", "title: "),
    "sexagesimal digits": block(":59", "title: 1"),
    "underscores": block("_", "title: 1"),
    "escapes in a tag": block("%41", "x: !<", "> y\n"),
    "no numbers": block(".nan, ", "x: [", "]\n"),
    "lines of a summary": block(" x\n", "summary: |\n"),
    "nested aliases": page(
        more="a: &a [x, x, x, x, x, x, x, x, x, x]\n"
        + "".join(
            f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]\n"
            for a, b in zip("abcdefgh", "bcdefghi", strict=True)
        )
    ).encode(),
}


class Measured:
    """A process that validates fields; one that answers too late is ended, and replaced."""

    def __init__(self, warm_up: Path) -> None:
        self._warm_up = warm_up
        self._child: subprocess.Popen[str] | None = None

    def __call__(self, field: Path) -> tuple[int, list[str]]:
        """The memory that a field took, and the ids that were found in it."""
        child = self._child = self._child or self._start()
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(f"{field}\n")
        child.stdin.flush()
        if not select([child.stdout], [], [], PATIENCE)[0]:
            self.close()
            pytest.fail(f"no answer within {PATIENCE} seconds")
        memory, *found = child.stdout.readline().split()
        return int(memory), found

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.kill()
            self._child.communicate()
            self._child = None

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, str(CHILD), str(self._warm_up)]
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Measured]:
    """What measures fields one after the other."""
    small = {"a.md": page("[`](x)", title="5", uuid="x")}
    child = Measured(write_files(tmp_path_factory.mktemp("warm-up"), small))
    yield child
    child.close()


@pytest.mark.parametrize("what", PAGES)
def test_page_costs_little(what: str, measured: Measured, tmp_path: Path) -> None:
    """A page and a listing of such text are judged within bounds of time and memory.

    The listing is a page too, to which every rule of a page is put at its full size: the other page
    need not be as large.
    """
    kind = PAGES[what]
    size = MIB if ALL or what in IN_FULL else MIB // 4
    content = kind if isinstance(kind, bytes) else kind.of(size)
    assert len(content) <= MIB
    part = content[: len(content) // 16]
    files: Files = {"a.md": part, "listing.md": content, "x.md": page(number=7)}
    memory, found = measured(write_files(tmp_path / "field", files))
    assert memory <= MOST
    assert found
