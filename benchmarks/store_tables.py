"""The figures of benchmarks/stores.py as tables of Markdown, for the page that explains them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

BEGIN: Final = "<!-- figures: python benchmarks/stores.py --docs docs/when-is-a-file-enough.md -->"
END: Final = "<!-- end of figures -->"
WORKS: Final = {
    "lookups": "100 lookups",
    "searches": "5 searches",
    "rare": "rarest of them",
    "parents": "10 parents",
    "first": "first answer",
}
"""What is asked of each design, as people call it."""


def put_into(page: Path, figures: Mapping[int, Any], by: str) -> None:
    """Write the tables into a page, in the place of those that are there.

    Arguments:
        page: the page, which has a line where they begin and one where they end.
        figures: what was measured, by the number of records.
        by: the design by whose times those of the others are divided.
    """
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(f"{BEGIN}\n")
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{page} has no place for figures")
    tables = "".join(f"{line}\n" for line in _lines(figures, by))
    page.write_text(f"{before}{begin}{tables}{end}{after}", encoding="utf-8")


def time_of(seconds: float) -> str:
    """A time as people read it."""
    return f"{seconds:.1f} s" if seconds >= 0.995 else f"{float(f'{seconds * 1000:.2g}'):g} ms"


def ratio_of(value: float) -> str:
    """A ratio, no more exact than it is."""
    return f"{value:,.0f}" if value >= 9.95 else f"{value:.2g}"


def _lines(figures: Mapping[int, Any], by: str) -> Iterator[str]:
    for size, got in figures.items():
        yield ""
        yield f"**{size:,} records** ({got['text'] / 2**20:,.1f} MiB of text)"
        yield ""
        yield from _table(("", *WORKS.values(), "memory", "size", "made"), _rows(got, by))
    yield ""
    yield "**A note changed**"
    yield ""
    yield from _table(
        ("records", "store", "one writer", "by the floor", "2 writers", "8 writers"),
        _writes(figures),
    )
    yield ""


def _rows(got: Mapping[str, Any], by: str) -> Iterator[Sequence[str]]:
    base = got["asked"][by]
    for name, row in got["asked"].items():
        cells = [ratio_of(row[what] / base[what]) for what in WORKS]
        if name == by:
            cells = [f"1 ({time_of(row[what])})" for what in WORKS]
        made = ratio_of(got["made"][name] / got["made"][by])
        if name == by:
            made = f"1 ({time_of(got['made'][name])})"
        yield (name, *cells, f"{row['memory']:,.0f} MiB", ratio_of(got["size"][name]), made)


def _writes(figures: Mapping[int, Any]) -> Iterator[Sequence[str]]:
    for size, got in figures.items():
        wrote = got["written"]
        for name, by_writers in wrote.items():
            if name != "floor":
                alone, *others = by_writers.values()
                by_floor = f"{ratio_of(alone / wrote['floor'])} ({time_of(wrote['floor'])})"
                more = [ratio_of(each / alone) for each in others]
                yield (f"{size:,}", name, time_of(alone), by_floor, *more)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|---" + "|---:" * (len(head) - 1) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
