"""Unified diffs in git's style, byte by byte: `git apply` and `patch` take what is made of these.

No name and no line is changed on the way, whatever bytes it has; only LF ends a line, as for git.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

Mark: TypeAlias = Literal[" ", "-", "+"]

CONTEXT = 3
"""Lines around a change that are shown with it."""

_NO_LINE_END = b"\n\\ No newline at end of file\n"
_ODD = re.compile(rb"[^ !#-\[\]-~]")
"""Bytes of a name that git writes escaped."""

_ODD_ALONE = re.compile(rb"[^!#-\[\]-~]")
"""Those for which a name is quoted that stands nowhere else."""

_ESCAPES = {b"\t": b"\\t", b"\n": b"\\n", b"\r": b"\\r", b'"': b'\\"', b"\\": b"\\\\"}


class LineChange(NamedTuple):
    """Lines that are replaced: those of one version by those of the other.

    Attributes:
        start: the first line before, from 0.
        end: the line before after the last.
        new_start: the first line after, from 0.
        new_end: the line after after the last.
    """

    start: int
    end: int
    new_start: int
    new_end: int


class DiffLine(NamedTuple):
    """A line of a hunk.

    Attributes:
        mark: " " for one that stays, "-" for one that goes, "+" for one that comes.
        line: its bytes with its end; the last of a page may have none.
        number: its number in the new version, from 1; of one that goes, that of the next.
    """

    mark: Mark
    line: bytes
    number: int


class Hunk(NamedTuple):
    """Changes that are near enough to share the lines around them.

    Attributes:
        changes: these changes, in order.
        start: the first line before that is shown, from 0.
        end: the line before after the last.
        new_start: the first line after, from 0.
        new_end: the line after after the last.
    """

    changes: tuple[LineChange, ...]
    start: int
    end: int
    new_start: int
    new_end: int

    @property
    def header(self) -> str:
        """The line that says where it stands, without a line end."""
        old = _range(self.start, self.end - self.start)
        new = _range(self.new_start, self.new_end - self.new_start)
        return f"@@ -{old} +{new} @@"

    def lines(self, before: Sequence[bytes], after: Sequence[bytes]) -> Iterator[DiffLine]:
        """The lines of the hunk, of the lines of both versions."""
        at, number = self.start, self.new_start
        for change in (*self.changes, LineChange(self.end, self.end, self.new_end, self.new_end)):
            for line in before[at : change.start]:
                number += 1
                yield DiffLine(" ", line, number)
            for line in before[change.start : change.end]:
                yield DiffLine("-", line, number + 1)
            for line in after[change.new_start : change.new_end]:
                number += 1
                yield DiffLine("+", line, number)
            at = change.end


def lines_of(raw: bytes) -> list[bytes]:
    """The lines of a page with their ends."""
    *ended, rest = raw.split(b"\n")
    return [line + b"\n" for line in ended] + ([rest] if rest else [])


def hunks_of(changes: Iterable[LineChange], count: int) -> Iterator[Hunk]:
    """Changes in hunks, each with the lines around it.

    Arguments:
        changes: what differs, in order.
        count: how many lines there were before.
    """
    group: list[LineChange] = []
    for change in changes:
        if group and change.start - group[-1].end > 2 * CONTEXT:
            yield _hunk(group, count)
            group = []
        group.append(change)
    if group:
        yield _hunk(group, count)


def patch_of(hunks: Iterable[Hunk], before: Sequence[bytes], after: Sequence[bytes]) -> bytes:
    """Hunks as a patch has them, below the names of the file."""
    pieces: list[bytes] = []
    for hunk in hunks:
        pieces.append(f"{hunk.header}\n".encode())
        for mark, line, _ in hunk.lines(before, after):
            pieces += (mark.encode(), line)
            if not line.endswith(b"\n"):
                pieces.append(_NO_LINE_END)
    return b"".join(pieces)


def git_header(name: str, to: str, *, alone: bool = False) -> bytes:
    """The line in which git names both versions.

    Arguments:
        name: the name before.
        to: the name after.
        alone: whether no other line names them: then `patch` needs names with blanks quoted.
    """
    odd = _ODD_ALONE if alone else _ODD
    return b"diff --git %s %s\n" % (_quoted("a/" + name, odd), _quoted("b/" + to, odd))


def renamed(name: str, to: str) -> bytes:
    """The lines that give a file another name."""
    return b"rename from %s\nrename to %s\n" % (_quoted(name), _quoted(to))


def file_lines(name: str | None, to: str | None) -> bytes:
    """The two lines above the hunks that name the versions; None for one that is not there."""
    return b"--- %s\n+++ %s\n" % (_file_name("a/", name), _file_name("b/", to))


def _file_name(side: str, name: str | None) -> bytes:
    """A name in a line of its own; after one with a blank a tab says where it ends."""
    if name is None:
        return b"/dev/null"
    quoted = _quoted(side + name)
    return quoted + b"\t" if b" " in quoted and quoted[:1] != b'"' else quoted


def _quoted(name: str, odd: re.Pattern[bytes] = _ODD) -> bytes:
    """A name as git writes it: quoted, with bytes in octal, where it is not plain."""
    raw = name.encode("utf-8", "surrogateescape")
    return b'"%s"' % _ODD.sub(_octal, raw) if odd.search(raw) else raw


def _octal(match: re.Match[bytes]) -> bytes:
    return _ESCAPES.get(match[0]) or b"\\%03o" % match[0][0]


def _hunk(changes: Sequence[LineChange], count: int) -> Hunk:
    lead = min(CONTEXT, changes[0].start)
    trail = min(CONTEXT, count - changes[-1].end)
    return Hunk(
        tuple(changes),
        changes[0].start - lead,
        changes[-1].end + trail,
        changes[0].new_start - lead,
        changes[-1].new_end + trail,
    )


def _range(start: int, count: int) -> str:
    return f"{start + 1 if count else start},{count}"
