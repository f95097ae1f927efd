"""What differs between two fields as lines, which a terminal and a pull request show alike.

Whatever a page or a name holds is shown escaped. Lines of pages begin with a blank, a plus or a
minus; what is said of them begins with an exclamation mark, so that no page can say it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple, TypeAlias

from memoryfield_readers import visible, visible_lines
from memoryfield_validator import Finding
from memoryfield_validator.comparing import (
    Change,
    Comparison,
    Effort,
    PageDiff,
    WordKind,
    words_of,
)
from memoryfield_validator.unified import lines_of

_LINES = {" ": "", "-": "removed", "+": "added"}
_NO_LINE_END = "\\ No newline at end of file"
_MARKERS = re.compile(r"(\[(?=-)|-(?=\])|\{(?=\+)|\+(?=\}))")
_NOT_PLAIN = re.compile(r"[^\w./-]")


class Piece(NamedTuple):
    """A part of a line, and the style it has on a terminal; "" for none."""

    text: str
    style: str = ""


Line: TypeAlias = tuple[Piece, ...]


def change_line(change: Change) -> str:
    """The name of what differs and how much of it does, in one line."""
    name = name_of(change.name)
    if change.old_name is not None:
        name = f"{name_of(change.old_name)} => {name}"
    what = f"{name}, {change.part}" if change.part != "page" else name
    return what if change.diff is None else f"{what}  +{change.diff.added} -{change.diff.removed}"


def name_of(name: str) -> str:
    """A name in one line, in quotation marks where one could not see what is of it."""
    shown = visible(name)
    return '"{}"'.format(shown.replace('"', '\\"')) if _NOT_PLAIN.search(name) else shown


def shown_changes(
    comparison: Comparison, *, words: bool
) -> Iterator[tuple[Change, Iterator[Line]]]:
    """The pages that differ, each with the lines that show how."""
    effort = Effort() if words else None
    findings: dict[str | None, list[Finding]] = {}
    for finding in comparison.findings:
        findings.setdefault(finding.file, []).append(finding)
    for change in comparison.changes:
        if change.part == "page":
            found = findings.get(change.name, []) if change.after is not None else []
            yield change, _shown(change, found, effort)


def _shown(change: Change, findings: list[Finding], effort: Effort | None) -> Iterator[Line]:
    diff = change.diff
    if diff is not None:
        for line in diff.header(has_hunks=change.note is None).decode().splitlines():
            yield (Piece(line, "heading"),)
    else:
        yield (Piece(f"{change.kind} {change_line(change)}", "heading"),)
    if change.note is not None:
        yield (Piece(f"! {visible(change.note)}", "note"),)
    waiting: dict[int | None, list[Finding]] = {}
    for finding in findings:
        waiting.setdefault(finding.line, []).append(finding)
    if diff is not None and change.note is None:
        numbered = _hunks(diff) if effort is None else _word_hunks(diff, effort)
        for number, row in numbered:
            yield row
            yield from map(mark_of, waiting.pop(number, ()))
    yield from map(mark_of, chain.from_iterable(waiting.values()))


def mark_of(finding: Finding, *, named: bool = False) -> Line:
    """What a new finding says, and where in the page as it is now."""
    place = "" if finding.line is None else f"{finding.line}:{finding.column} "
    name = f"{name_of(finding.file or '')} " if named else ""
    return (
        Piece("! "),
        Piece(f"{finding.rule} {finding.level}", finding.level),
        Piece(f" {name}{place}{visible(finding.message)}"),
    )


def _hunks(diff: PageDiff) -> Iterator[tuple[int, Line]]:
    """The lines of a diff, each with its number in the new version, 0 if it is not there."""
    before, after = lines_of(diff.before), lines_of(diff.after)
    for hunk in diff.hunks():
        yield 0, (Piece(hunk.header, "place"),)
        for mark, line, number in hunk.lines(before, after):
            style, number = _LINES[mark], 0 if mark == "-" else number
            if line.endswith(b"\n"):
                yield number, (Piece(mark + _text(line[:-1]), style),)
            else:
                yield 0, (Piece(mark + _text(line), style),)
                yield number, (Piece(_NO_LINE_END),)


def _text(line: bytes) -> str:
    """A line of a page without its line feed: what is no plain text is escaped, CR as well."""
    text = line.decode("utf-8", "surrogateescape")
    return text if text.isascii() and text.isprintable() else visible_lines(text)


def _word_hunks(diff: PageDiff, effort: Effort) -> Iterator[tuple[int, Line]]:
    """The lines of a diff that shows words, as `_hunks` gives them."""
    for hunk in words_of(diff, effort):
        yield 0, (Piece(hunk.header, "place"),)
        number = hunk.first
        line = [Piece(" ")]
        for kind, text in hunk.words:
            *ended, rest = text.split("\n")
            for each in ended:
                line.append(_word(kind, each or ("" if kind == "same" else "\n")))
                yield 0 if kind == "removed" else number, tuple(line)
                number += kind != "removed"
                line = [Piece(" ")]
            if rest:
                line.append(_word(kind, rest))
        if len(line) > 1:
            yield number, tuple(line)


def _word(kind: WordKind, text: str) -> Piece:
    """A piece of a line in the marks of its kind, which nothing in the text can close or open."""
    shown = _MARKERS.sub(r"\1\\", visible_lines(text) if text != "\n" else visible(text))
    if kind == "same":
        return Piece(shown)
    shown = f"\\{shown}" if shown.startswith(("]", "}")) else shown
    return Piece(f"[-{shown}-]" if kind == "removed" else f"{{+{shown}+}}", kind)
