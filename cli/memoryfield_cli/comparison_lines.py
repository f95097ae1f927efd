"""What differs between two fields as lines, which a terminal and a pull request show alike.

What a page or a name holds that cannot be shown is escaped. Lines of pages begin with a blank, a
plus or a minus; what is said of them, that they are escaped as well, begins with an exclamation
mark, so that no page can say it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple, TypeAlias

from memoryfield_readers import visible
from memoryfield_validator import Finding
from memoryfield_validator.comparing import (
    Change,
    Comparison,
    Effort,
    PageDiff,
    WordKind,
    words_of,
)
from memoryfield_validator.reports import counted
from memoryfield_validator.unified import lines_of

from .comparison_notes import NoteOnChange, Notes, note_on
from .escaping import Escaping
from .output import no_command

_LINES = {" ": "", "-": "removed", "+": "added"}
_NO_LINE_END = "\\ No newline at end of file"
_MARKERS = re.compile(r"(\[(?=-)|-(?=\])|\{(?=\+)|\+(?=\}))")
_NOT_PLAIN = re.compile(r"[^\w./-]")

HAS_ESCAPES = "has characters that are shown escaped"


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
    comparison: Comparison, escaping: Escaping, *, words: bool, notes: Notes | None = None
) -> Iterator[tuple[Change, Iterator[Line]]]:
    """The pages that differ, each with the lines that show how, and the note on it."""
    effort = Effort() if words else None
    findings: dict[str | None, list[Finding]] = {}
    for finding in comparison.findings:
        findings.setdefault(finding.file, []).append(finding)
    for change in comparison.changes:
        if change.part == "page":
            found = findings.get(change.name, []) if change.after is not None else []
            note = note_on(notes, change)
            if found or note is not None or not change.is_lost:
                yield change, _shown(change, found, escaping, effort, note)


def remarks_on(change: Change, escaping: Escaping, notes: Notes | None = None) -> Iterator[str]:
    """What is to be said of a change where its lines are not shown."""
    note = note_on(notes, change)
    if note is not None:
        yield from note.briefs()
    if change.is_lost:  # which is told once of all of them
        return
    if change.note is not None:
        yield change.note
    elif change.diff is not None and _count_escaped(change.diff, escaping):
        yield HAS_ESCAPES
    for remark in change.remarks:
        yield remark.message


def _shown(
    change: Change,
    findings: list[Finding],
    escaping: Escaping,
    effort: Effort | None,
    note: NoteOnChange | None,
) -> Iterator[Line]:
    diff = change.diff
    if diff is not None:
        header = diff.header(has_hunks=change.note is None).decode()
        for line in header.splitlines():
            yield (Piece(line, "heading"),)
        if no_command(header) != header:
            yield (Piece("! the name is not shown as it is", "note"),)
    else:
        yield (Piece(f"{change.kind} {change_line(change)}", "heading"),)
    for line in note.lines() if note is not None else ():
        yield (Piece(f"! {line}", "note"),)
    if change.note is not None and not change.is_lost:  # that is told once of all of them
        yield (Piece(f"! {visible(change.note)}", "note"),)
    waiting: dict[int | None, list[Line]] = {}
    for remark in change.remarks:
        waiting.setdefault(remark.line, []).append((Piece(f"! {remark.message}", "note"),))
    for finding in findings:
        waiting.setdefault(finding.line, []).append(mark_of(finding))
    yield from waiting.pop(None, ())
    if diff is not None and change.note is None:
        escaped = _count_escaped(diff, escaping, words=effort is not None)
        write = escaping.escaped if escaped else str
        numbered = _hunks(diff, write) if effort is None else _word_hunks(diff, effort, write)
        for number, row in numbered:
            yield row
            if escaped:  # in the hunk, below its first line, so that `patch` refuses it
                yield (Piece(f"! {_escapes(escaped)}", "note"),)
                escaped = 0
            yield from waiting.pop(number, ())
    yield from chain.from_iterable(waiting.values())


def _escapes(count: int) -> str:
    """What is said of a page some lines of which are shown escaped."""
    verb = "is" if count == 1 else "are"
    return (
        rf"{counted(count, 'line')} {verb} shown escaped: what cannot be shown stands as \x1b or "
        r"\u{200b}, and a backslash of the page as \\"
    )


def _count_escaped(diff: PageDiff, escaping: Escaping, *, words: bool = False) -> int:
    """How many of the lines that are shown are not shown as they are.

    Arguments:
        diff: which lines of a page differ.
        escaping: which lines can be shown.
        words: whether words are shown, in marks that are escaped with backslashes in any page.
    """
    before, after = lines_of(diff.before), lines_of(diff.after)
    lines = (_text(line) for hunk in diff.hunks() for _, line, _ in hunk.lines(before, after))
    return sum(not escaping.is_plain(line) or (words and "\\" in line) for line in lines)


def mark_of(finding: Finding, *, named: bool = False) -> Line:
    """What a new finding says, and where in the page as it is now."""
    place = "" if finding.line is None else f"{finding.line}:{finding.column} "
    name = f"{name_of(finding.file or '')} " if named else ""
    return (
        Piece("! "),
        Piece(f"{finding.rule} {finding.level}", finding.level),
        Piece(f" {name}{place}{visible(finding.message)}"),
    )


def _hunks(diff: PageDiff, write: Callable[[str], str]) -> Iterator[tuple[int, Line]]:
    """The lines of a diff, each with its number in the new version, 0 if it is not there."""
    before, after = lines_of(diff.before), lines_of(diff.after)
    for hunk in diff.hunks():
        yield 0, (Piece(hunk.header, "place"),)
        for mark, line, number in hunk.lines(before, after):
            style, number = _LINES[mark], 0 if mark == "-" else number
            row = (Piece(mark + write(_text(line)), style),)
            if line.endswith(b"\n"):
                yield number, row
            else:
                yield 0, row
                yield number, (Piece(_NO_LINE_END),)


def _text(line: bytes) -> str:
    """A line of a page without its line feed."""
    return line.removesuffix(b"\n").decode("utf-8", "surrogateescape")


def _word_hunks(
    diff: PageDiff, effort: Effort, write: Callable[[str], str]
) -> Iterator[tuple[int, Line]]:
    """The lines of a diff that shows words, as `_hunks` gives them."""
    for hunk in words_of(diff, effort):
        yield 0, (Piece(hunk.header, "place"),)
        number = hunk.first
        line = [Piece(" ")]
        for kind, text in hunk.words:
            *ended, rest = text.split("\n")
            for each in ended:
                shown = write(each) or ("" if kind == "same" else r"\n")
                line.append(_word(kind, shown))
                yield 0 if kind == "removed" else number, tuple(line)
                number += kind != "removed"
                line = [Piece(" ")]
            if rest:
                line.append(_word(kind, write(rest)))
        if len(line) > 1:
            yield number, tuple(line)


def _word(kind: WordKind, text: str) -> Piece:
    """A piece of a line in the marks of its kind, which nothing in the text can close or open."""
    shown = _MARKERS.sub(r"\1\\", text)
    if kind == "same":
        return Piece(shown)
    shown = f"\\{shown}" if shown.startswith(("]", "}")) else shown
    return Piece(f"[-{shown}-]" if kind == "removed" else f"{{+{shown}+}}", kind)
