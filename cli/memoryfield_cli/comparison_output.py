"""What differs between two fields, as people, programs and pull requests read it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from memoryfield_readers import visible
from memoryfield_readers.pins.diagnosis import NO_ARCHIVE_ANY_MORE
from memoryfield_spec import catalogue
from memoryfield_validator.reports import counted, plain_markdown

from .comparison_lines import Line, Piece, change_line, mark_of, remarks_on, shown_changes
from .comparison_notes import Notes, note_on
from .escaping import Escaping

if TYPE_CHECKING:
    from memoryfield_validator.comparing import Change, Comparison, Side, Version

MOST_MARKDOWN = 60_000
"""Bytes of a comparison as Markdown: GitHub takes no comment of more than 65,536 characters."""

_MOST_TABLE = 12_000
_MOST_PAGE = 20_000
_LEAST_PAGE = 500
_MOST_LINE = 1_000
_MOST_NAME = 150
_MOST_MESSAGE = 300
_MOST_REMARKS = 3
_CUT = "! this line goes on, for which there is no room"

_STYLES: dict[str, dict[str, Any]] = {
    "heading": {"bold": True},
    "place": {"fg": "cyan"},
    "added": {"fg": "green"},
    "removed": {"fg": "red"},
    "note": {"fg": "yellow"},
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "info": {"fg": "cyan", "bold": True},
}
_FENCE = re.compile("`+")


def comparison_text(
    comparison: Comparison,
    *,
    words: bool,
    stat: bool = False,
    colour: bool = False,
    encoding: str | None = "utf-8",
    notes: Notes | None = None,
) -> str:
    """The comparison for people, with a line feed at its end.

    Arguments:
        comparison: what differs.
        words: whether to show which words differ, in git's style: [-old-]{+new+}.
        stat: whether to name what differs and to show no lines.
        colour: whether to write for a terminal that shows colours.
        encoding: that of what it is written to; where it is not UTF-8, pages are shown in ASCII.
        notes: the notes on pages that differ.
    """
    escaping = Escaping(encoding)
    lines = list(_sides(comparison))
    if comparison.changes:
        lines += [(), *_overview(comparison, None if not stat else escaping, notes)]
    for note in comparison.notes:
        lines += [(), (Piece(f"! {visible(note)}", "note"),)]
    if not stat:
        for _, shown in shown_changes(comparison, escaping, words=words, notes=notes):
            lines += [(), *shown]
    elif comparison.findings:
        lines += [(), *(mark_of(finding, named=True) for finding in comparison.findings)]
    lines += [(), (Piece(_conclusion(comparison), "heading"),)]
    return "".join(f"{_written(line, colour=colour)}\n" for line in lines)


def comparison_json(
    comparison: Comparison, *, words: bool = False, stat: bool = False, notes: Notes | None = None
) -> str:
    """The comparison as `comparison.schema.json` describes it, in pure ASCII.

    Arguments:
        comparison: what differs.
        words: whether to show which words differ, too.
        stat: whether to name what differs and to show no lines.
        notes: the notes on pages that differ.
    """
    answer = comparison.to_json(lines=not stat, words=words)
    for change, facts in zip(comparison.changes, answer["changes"], strict=True):
        note = note_on(notes, change)
        if note is not None:
            facts["reader_note"] = note.to_json()
            if note.other is not None:
                facts["other_reader_note"] = note.other.to_json()
    return json.dumps(answer, indent=2, allow_nan=False)


def comparison_markdown(
    comparison: Comparison,
    *,
    words: bool = False,
    stat: bool = False,
    encoding: str | None = "utf-8",
    notes: Notes | None = None,
) -> str:
    """The comparison for a pull request, of a length that a comment may have.

    What is new comes first. No text from a field takes effect as Markdown or HTML: in tables it is
    escaped, and the lines of a page stand in a fence that they cannot close.

    Arguments:
        comparison: what differs.
        words: whether to show which words differ.
        stat: whether to name what differs and to show no lines.
        encoding: that of what it is written to; where it is not UTF-8, pages are shown in ASCII.
        notes: the notes on pages that differ.
    """
    escaping = Escaping(encoding)
    pieces = ["\n".join(_markdown_head(comparison, escaping, notes)) + "\n"]
    left = MOST_MARKDOWN - len(pieces[0].encode())
    left_out = 0
    changes = () if stat else shown_changes(comparison, escaping, words=words, notes=notes)
    for change, lines in changes:
        most = min(left - _LEAST_PAGE, _MOST_PAGE)
        section = _section(change, lines, "" if words else "diff", most) if most > 0 else ""
        left_out += not section
        left -= len(section.encode())
        pieces.append(section)
    if left_out:
        noun = "page" if left_out == 1 else "pages"
        pieces.append(f"\n{left_out:,} {noun} more differ, and are not shown: there is no room.\n")
    return "".join(pieces)


def _markdown_head(
    comparison: Comparison, escaping: Escaping, notes: Notes | None
) -> Iterator[str]:
    """What there is to say of the fields as a whole: tables of sides, findings and changes."""
    yield "## What differs"
    yield ""
    yield "|  | field | pages | pin |"
    yield "| --- | --- | ---: | --- |"
    for what, side in (("before", comparison.before), ("after", comparison.after)):
        place = plain_markdown(_place(side), _MOST_NAME)
        pin = plain_markdown(side.digest or "none", _MOST_NAME)
        yield f"| {what} | {place} | {side.pages} | {pin} |"
    yield ""
    yield f"**{_conclusion(comparison)}**"
    for note in comparison.notes:
        yield from ("", plain_markdown(note, _MOST_MESSAGE))
    if comparison.findings:
        yield from ("", "| new | rule | place | what |", "| --- | --- | --- | --- |")
        rows = []
        for finding in comparison.findings:
            place = plain_markdown(finding.file or "", _MOST_NAME)
            if finding.line is not None:
                place += f", line {finding.line}, column {finding.column or 1}"
            rule = f"{finding.rule} {plain_markdown(catalogue()[finding.rule].title, _MOST_NAME)}"
            message = plain_markdown(finding.message, _MOST_MESSAGE)
            rows.append(f"| {finding.level} | {rule} | {place} | {message} |")
        yield from _table(rows, "finding")
    if comparison.changes:
        yield from ("", "| change | name | before | after |", "| --- | --- | --- | --- |")
        rows = []
        for change in comparison.changes:
            what = plain_markdown(change_line(change), 2 * _MOST_NAME)
            told = plain_markdown(_summed_up(change, escaping, notes), _MOST_MESSAGE)
            cells = (change.kind, f"{what}; {told}" if told else what)
            versions = map(_in_cell, (change.before, change.after))
            rows.append(f"| {' | '.join((*cells, *versions))} |")
        yield from _table(rows, "change")


def _summed_up(change: Change, escaping: Escaping, notes: Notes | None) -> str:
    """What is to be said of a change, in one line."""
    first, *others = (*remarks_on(change, escaping, notes), "")
    told = "; ".join([first, *others][:_MOST_REMARKS])
    more = len(others) - _MOST_REMARKS
    return f"{told}; and {more} more such" if more > 0 else told.removesuffix("; ")


def _table(rows: Sequence[str], noun: str) -> Iterator[str]:
    """The rows as far as they fit, and how many there are besides."""
    size = 0
    for number, row in enumerate(rows):
        size += len(row.encode()) + 1
        if size > _MOST_TABLE:
            more = len(rows) - number
            yield from ("", f"There {'is' if more == 1 else 'are'} {_counted(more, noun)} more.")
            return
        yield row


def _in_cell(version: Version | None) -> str:
    if version is None:
        return ""
    size = "" if version.size is None else f"{counted(version.size, 'byte')}, "
    return f"{size}{version.sha256[:12]}…"


def _section(change: Change, lines: Iterator[Line], language: str, most: int) -> str:
    """The lines of one page in a fence, as many as fit into so many bytes; "" for none."""
    heading = plain_markdown(f"{change.kind} {change_line(change)}", 2 * _MOST_NAME)
    room = most - len(heading.encode())
    kept: list[str] = []
    for line in lines:
        text = "".join(piece.text for piece in line)
        is_cut = len(text) > _MOST_LINE
        text = f"{text[: _MOST_LINE - 1]}…\n{_CUT}" if is_cut else text
        room -= len(text.encode()) + 1
        if room < 0:
            kept.append("! there are more lines, for which there is no room")
            break
        kept.append(text)
    body = "\n".join(kept)
    fence = "`" * max(3, 1 + max(map(len, _FENCE.findall(body)), default=0))
    return f"\n### {heading}\n\n{fence}{language}\n{body}\n{fence}\n"


def _written(line: Line, *, colour: bool) -> str:
    if not colour:
        return "".join(piece.text for piece in line)
    return "".join(click.style(piece.text, **_STYLES.get(piece.style, {})) for piece in line)


def _sides(comparison: Comparison) -> Iterator[Line]:
    for what, side in (("before", comparison.before), ("after", comparison.after)):
        yield (Piece(f"{what:<7} {_described(side)}"),)


def _described(side: Side) -> str:
    """One of the fields in one line."""
    pin = side.digest or "nothing that could be pinned"
    return f"{visible(_place(side))}, {counted(side.pages, 'page')}, {pin}"


def _overview(
    comparison: Comparison, alone: Escaping | None, notes: Notes | None
) -> Iterator[Line]:
    """A line for each change; of what has no lines, sizes and hashes are told.

    Arguments:
        comparison: what differs.
        alone: where no lines follow, how they would be shown: what is to be said of them is told
            at once, and no hashes.
        notes: the notes on pages that differ.
    """
    for change in comparison.changes:
        style = change.kind if change.kind in ("added", "removed") else ""
        yield (Piece(f"  {change.kind:<8} ", style), Piece(change_line(change)))
        if alone is not None:
            for remark in remarks_on(change, alone, notes):
                yield (Piece(f"           ! {visible(remark)}", "note"),)
        elif change.diff is None:
            for what, version in (("was", change.before), ("is", change.after)):
                if version is not None:
                    size = "" if version.size is None else f"{counted(version.size, 'byte')}, "
                    yield (Piece(f"           {what:<3} {size}sha256:{version.sha256}"),)


def _place(side: Side) -> str:
    """Where a field was read, with the commit or version that was."""
    is_known = side.resolved in (None, side.location)
    return side.location if is_known else f"{side.location} (read as {side.resolved})"


def _conclusion(comparison: Comparison) -> str:
    counts = Counter((change.part, change.kind) for change in comparison.changes)
    parts = [f"{_counted(number, part)} {kind}" for (part, kind), number in counts.items()]
    told = [", ".join(parts) or "the same"]
    if comparison.unpacked:
        told = [f"{NO_ARCHIVE_ANY_MORE}: its files are the same"]
    elif comparison.repacked:
        told = ["packed anew: the archive is another, its files are the same"]
    if comparison.changes and comparison.before.digest == comparison.after.digest:
        told.append("the pin is the same, since no vector index is part of it")
    if not comparison.audited:
        told.append("not reviewed")
    elif comparison.changes:
        found = counted(len(comparison.findings), "new finding")
        told.append(found if comparison.findings else "no new findings")
    return "; ".join(told)


def _counted(number: int, part: str) -> str:
    plural = {"index": "indexes"}.get(part, f"{part}s")
    return f"{number:,} {part if number == 1 else plural}"
