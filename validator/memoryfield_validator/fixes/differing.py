"""A proposal as a unified diff in git's style, which `git apply` and `patch` take."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memoryfield_readers import visible_lines

from .line_changes import LineChange, line_changes
from .proposal import Proposal, Rewrite

_CONTEXT = 3
_NO_LINE_END = b"\n\\ No newline at end of file\n"
_ODD = re.compile(rb"[^ !#-\[\]-~]")
"""Bytes of a name that git writes escaped."""

_ESCAPES = {b"\t": b"\\t", b"\n": b"\\n", b"\r": b"\\r", b'"': b'\\"', b"\\": b"\\\\"}


def diff(proposal: Proposal) -> str:
    """All changes as text for a terminal: what a patch says, with what is not plain text escaped.

    For pages of plain text it is the patch itself. Lines end as they do in the pages.
    """
    return visible_lines(patch(proposal).decode("utf-8", "surrogateescape"))


def patch(proposal: Proposal) -> bytes:
    """All changes as `git apply` takes them, byte by byte; empty where there are none."""
    new_names = {rename.name: rename.to for rename in proposal.renames}
    pieces = [piece for each in proposal.rewrites for piece in _file(each, new_names)]
    rewritten = {rewrite.name for rewrite in proposal.rewrites}
    for rename in proposal.renames:
        if rename.name not in rewritten:
            pieces += [_git_header(rename.name, rename.to), _rename(rename.name, rename.to)]
    return b"".join(pieces)


def _file(rewrite: Rewrite, new_names: Mapping[str, str]) -> Iterator[bytes]:
    name, to = rewrite.name, new_names.get(rewrite.name, rewrite.name)
    yield _git_header(name, to)
    if name != to:
        yield _rename(name, to)
    yield b"--- %s\n+++ %s\n" % (_file_name("a/" + name), _file_name("b/" + to))
    before, after = _lines(rewrite.before), _lines(rewrite.after)
    for hunk in _hunks(line_changes(before, after)):
        yield from _hunk(hunk, before, after)


def _git_header(name: str, to: str) -> bytes:
    return b"diff --git %s %s\n" % (_quoted("a/" + name), _quoted("b/" + to))


def _rename(name: str, to: str) -> bytes:
    return b"rename from %s\nrename to %s\n" % (_quoted(name), _quoted(to))


def _file_name(name: str) -> bytes:
    """A name in a line of its own; after one with a blank a tab says where it ends."""
    quoted = _quoted(name)
    return quoted + b"\t" if b" " in quoted and quoted[:1] != b'"' else quoted


def _quoted(name: str) -> bytes:
    """A name as git writes it: quoted, with bytes in octal, where it is not plain."""
    raw = name.encode("utf-8", "surrogateescape")
    return b'"%s"' % _ODD.sub(_octal, raw) if _ODD.search(raw) else raw


def _octal(match: re.Match[bytes]) -> bytes:
    return _ESCAPES.get(match[0]) or b"\\%03o" % match[0][0]


def _lines(raw: bytes) -> list[bytes]:
    """Lines with their ends; only LF ends one, as for git."""
    *ended, rest = raw.split(b"\n")
    return [line + b"\n" for line in ended] + ([rest] if rest else [])


def _hunks(changes: Iterable[LineChange]) -> Iterator[list[LineChange]]:
    """Changes that are near enough to share the lines around them."""
    hunk: list[LineChange] = []
    for change in changes:
        if hunk and change.start - hunk[-1].end > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _hunk(
    changes: Sequence[LineChange], before: Sequence[bytes], after: Sequence[bytes]
) -> Iterator[bytes]:
    lead = min(_CONTEXT, changes[0].start)
    trail = min(_CONTEXT, len(before) - changes[-1].end)
    start, new_start = changes[0].start - lead, changes[0].new_start - lead
    count = changes[-1].end + trail - start
    new_count = changes[-1].new_end + trail - new_start
    yield b"@@ -%s +%s @@\n" % (_range(start, count), _range(new_start, new_count))
    at = start
    for change in changes:
        yield from (_line(b" ", line) for line in before[at : change.start])
        yield from (_line(b"-", line) for line in before[change.start : change.end])
        yield from (_line(b"+", line) for line in after[change.new_start : change.new_end])
        at = change.end
    yield from (_line(b" ", line) for line in before[at : at + trail])


def _range(start: int, count: int) -> bytes:
    return b"%d,%d" % (start + 1 if count else start, count)


def _line(mark: bytes, line: bytes) -> bytes:
    return mark + line if line.endswith(b"\n") else mark + line + _NO_LINE_END
