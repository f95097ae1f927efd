"""What a run comes to, for people: a table by `rich` on a terminal, and plain text elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import click

from memoryfield_readers import visible

from .output import no_command

_MOST_ROWS = 10
"""So many fields of a kind are shown; the report has more of them."""


class Part(NamedTuple):
    """A part of the summary.

    Attributes:
        title: what it is about.
        heads: the heads of its columns; `#` before one means numbers.
        rows: as many texts each.
        left: how many rows there are that it does not have.
    """

    title: str
    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]
    left: int = 0


def print_summary(facts: Mapping[str, Any], out: Path | None, file: TextIO | None) -> None:
    """Print what a run comes to.

    Arguments:
        facts: schema "fleet-totals".
        out: the folder of the results; None where there is none.
        file: where to; None where the shell closed it.
    """
    from memoryfield_fleet.results.wording import headline, summary

    if file is None:
        return
    said = [(name, visible(text)) for name, text in summary(facts)]
    if out is not None:
        said.append(("Report", visible(str(out / "report.html"))))
        if not facts["complete"]:
            said.append(("To go on", "run the same again"))
    parts = list(_parts(facts))
    if file.isatty():
        _print_tables(headline(facts), said, parts, file)
        return
    lines = [headline(facts), *(f"  {name:<12}  {text}" for name, text in said)]
    for part in parts:
        lines += ["", f"{part.title}:", *_lines(part)]
    text = "\n".join(lines)
    click.echo(no_command(text) + "\n", file=file, nl=False)


def _parts(facts: Mapping[str, Any]) -> Iterator[Part]:
    from memoryfield_fleet.results.wording import (
        MOST_FINDINGS,
        bytes_text,
        duration_text,
        slowest,
    )

    rules = [
        (f"{row['findings']:,}", f"{row['fields']:,}", row["rule"], _title(row["rule"]))
        for row in facts["rules"]
    ]
    yield from _part(
        "Rules", ("#Findings", "#Fields", "Rule", "What it demands"), rules, len(rules)
    )
    failed = [
        (row["location"], row["message"] + (f" ({row['hint']})" if row["hint"] else ""))
        for row in facts["failures"]["fields"]
    ]
    yield from _part("Failures", ("Field", "Why"), failed, facts["fields"]["failed"])
    worst = [
        (*(f"{row[level]:,}" for level in ("error", "warning", "info")), row["location"])
        for row in facts["worst"]
    ]
    yield from _part(MOST_FINDINGS, ("#Errors", "#Warnings", "#Notes", "Field"), worst)
    slow = [(duration_text(row["seconds"]), row["location"]) for row in slowest(facts)]
    yield from _part("Slowest", ("#Time", "Field"), slow)
    largest = [
        (bytes_text(row["bytes"]), f"{row['pages']:,}", row["location"]) for row in facts["largest"]
    ]
    yield from _part("Largest", ("#Size", "#Pages", "Field"), largest)


def _part(
    title: str, heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], count: int | None = None
) -> Iterator[Part]:
    """A part of the summary; none where it has no rows.

    Arguments:
        title: what it is about.
        heads: of its columns.
        rows: all that are known, whatever is in them.
        count: how many there are in all; None where only the first are of interest.
    """
    if not rows:
        return
    shown = [tuple(visible(cell) for cell in row) for row in rows[:_MOST_ROWS]]
    yield Part(title, heads, shown, 0 if count is None else count - len(shown))


def _title(rule: str) -> str:
    from memoryfield_spec import catalogue

    requirement = catalogue().get(rule)
    return "" if requirement is None else requirement.title


def _lines(part: Part) -> Iterator[str]:
    """A part in columns of text; the last one is as wide as it is."""
    names = tuple(head.lstrip("#") for head in part.heads)
    table = [names, *part.rows]
    widths = [max(len(row[at]) for row in table) for at in range(len(names))]
    for row in table:
        cells = [
            cell.rjust(width) if head.startswith("#") else cell.ljust(width)
            for cell, width, head in zip(row, widths, part.heads, strict=True)
        ]
        yield ("  " + "  ".join(cells)).rstrip()
    if part.left:
        yield f"  and {part.left:,} more"


def _print_tables(
    first: str, said: Sequence[tuple[str, str]], parts: Sequence[Part], file: TextIO
) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=file, highlight=False, markup=False, emoji=False)
    console.print(Text(first, "bold"))
    facts = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, text in said:
        facts.add_row(Text(name), Text(text))
    console.print(facts)
    for part in parts:
        more = Text(f"and {part.left:,} more") if part.left else None
        table = Table(
            title=Text(part.title, "bold"), title_justify="left", caption=more,
            caption_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0),
        )  # fmt: skip
        for head in part.heads:
            is_number = head.startswith("#")
            table.add_column(
                Text(head.lstrip("#"), "dim"),
                justify="right" if is_number else "left",
                no_wrap=is_number,
                overflow="fold",
            )
        for row in part.rows:
            table.add_row(*(Text(cell) for cell in row))
        console.print()
        console.print(table)
