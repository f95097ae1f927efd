"""What a run comes to as a web page that needs nothing else: no network, no script, no other file.

Locations and messages are text in it and never markup. The policy in its head lets a browser load
nothing and run nothing; its links lead to the files beside it alone.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from memoryfield_readers import visible
from memoryfield_spec import catalogue

from .wording import (
    MOST_FINDINGS,
    bytes_text,
    count_text,
    duration_text,
    headline,
    slowest,
    summary,
)

_STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --dim: #595959; --line: #d0d0d0; --paper: #fff;
--good: #1a7f37; --bad: #b3261e; --link: #0b57d0 }
@media (prefers-color-scheme: dark) {
:root { --ink: #e8e8e8; --dim: #a8a8a8; --line: #3a3d44; --paper: #14161a;
--good: #57c97a; --bad: #ff8a80; --link: #8ab4f8 }
}
body { margin: 0 auto; max-width: 70rem; padding: 1rem; background: var(--paper);
color: var(--ink); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; margin-bottom: .25rem } h2 { font-size: 1.2rem; margin-top: 2rem }
p { margin: .5rem 0 } a { color: var(--link) }
.good { color: var(--good) } .bad { color: var(--bad) } .dim { color: var(--dim) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem }
dt { color: var(--dim) } dd { margin: 0 }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .5rem; text-align: left;
vertical-align: top }
th { color: var(--dim); font-weight: normal }
td.number, th.number { text-align: right; white-space: nowrap; overflow-wrap: normal;
font-variant-numeric: tabular-nums }
code { font: .9em ui-monospace, monospace }
@media (max-width: 40rem) {
body { padding: .75rem } th, td { padding: .3rem } .wide { display: none }
}
"""


def _policy() -> str:
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


POLICY = _policy()
"""What a browser may do with the page: next to nothing."""

# What has no place in a page at all, beside what `visible` shows already.
_NO_CHARACTERS = re.compile("[\ufffe\uffff\ud800-\udfff]")


def page_of(facts: Mapping[str, Any]) -> str:
    """The page.

    Arguments:
        facts: what a run comes to: schema "fleet-totals".
    """
    title = safe(f"memoryfield fleet {facts['job']}")
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="referrer" content="no-referrer">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}: {safe(headline(facts))}</title>",
            f"<style>{_STYLE}</style>",
            "</head>",
            "<body>",
            "<main>",
            f"<h1>{title}</h1>",
            *_head(facts),
            *_rules(facts),
            *_failures(facts),
            *_worst(facts),
            *_slowest(facts),
            *_largest(facts),
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def safe(text: str) -> str:
    """Text as it can stand in an element or a quoted attribute."""
    return escape(_NO_CHARACTERS.sub("\ufffd", visible(text)), quote=True)


def _head(facts: Mapping[str, Any]) -> Iterator[str]:
    is_good = facts["complete"] and not facts["fields"]["failed"]
    is_good = is_good and not (facts["verdicts"] or {}).get("invalid")
    yield f'<p class="{"good" if is_good else "bad"}">{safe(headline(facts))}</p>'
    yield "<dl>"
    for name, value in summary(facts):
        yield f"<dt>{safe(name)}</dt><dd>{safe(value)}</dd>"
    yield "</dl>"
    yield (
        '<p class="dim">Every result, one a line: <a href="results.jsonl">results.jsonl</a>; '
        'this page for programs: <a href="totals.json">totals.json</a>.</p>'
    )


def _rules(facts: Mapping[str, Any]) -> Iterator[str]:
    if not facts["rules"]:
        return
    yield "<h2>Rules</h2>"
    rows = [
        (
            _number(row["findings"]),
            _number(row["fields"]),
            _code(row["rule"]),
            safe(row["level"] or ""),
            safe(_title(row["rule"])),
        )
        for row in facts["rules"]
    ]
    yield from _table(("#Findings", "#Fields", "Rule", "*Level", "What it demands"), rows)


def _failures(facts: Mapping[str, Any]) -> Iterator[str]:
    failed = facts["fields"]["failed"]
    if not failed:
        return
    failures = facts["failures"]
    yield "<h2>Failures</h2>"
    kinds = ", ".join(f"{row['fields']:,} {row['kind']}" for row in failures["kinds"])
    yield f"<p>{safe(kinds)}</p>"
    rows = [
        (
            _code(row["location"]),
            _code(row["kind"]),
            safe(row["message"]) + (f' <span class="dim">({hint})</span>' if hint else ""),
            _number(row["attempts"]),
        )
        for row in failures["fields"]
        for hint in (safe(row["hint"] or ""),)
    ]
    yield from _table(("Field", "*Kind", "Why", "#Tries"), rows)
    left = failed - len(rows)
    if left:
        yield f'<p class="dim">And {left:,} more: all stand in results.jsonl.</p>'


def _worst(facts: Mapping[str, Any]) -> Iterator[str]:
    if not facts["worst"]:
        return
    yield f"<h2>{MOST_FINDINGS}</h2>"
    rows = [
        (_code(row["location"]), *(_number(row[level]) for level in ("error", "warning", "info")))
        for row in facts["worst"]
    ]
    yield from _table(("Field", "#Errors", "#Warnings", "#Notes"), rows)


def _slowest(facts: Mapping[str, Any]) -> Iterator[str]:
    shown = slowest(facts)
    if not shown:
        return
    yield "<h2>Slowest</h2>"
    rows = [(_code(row["location"]), safe(duration_text(row["seconds"]))) for row in shown]
    yield from _table(("Field", "#Time"), rows)


def _largest(facts: Mapping[str, Any]) -> Iterator[str]:
    if not facts["largest"]:
        return
    yield "<h2>Largest</h2>"
    rows = [
        (_code(row["location"]), _number(row["pages"]), safe(bytes_text(row["bytes"])))
        for row in facts["largest"]
    ]
    yield from _table(("Field", "#Pages", "#Size"), rows)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table of cells that are markup; `#` before a head means numbers, `*` what may be hidden."""
    classes = ["number" if head[0] == "#" else "wide" if head[0] == "*" else "" for head in heads]
    marks = [f' class="{name}"' if name else "" for name in classes]
    yield "<table>"
    cells = (
        f'<th scope="col"{mark}>{safe(head.lstrip("#*"))}</th>'
        for head, mark in zip(heads, marks, strict=True)
    )
    yield f"<thead><tr>{''.join(cells)}</tr></thead>"
    yield "<tbody>"
    for row in rows:
        cells = (f"<td{mark}>{cell}</td>" for cell, mark in zip(row, marks, strict=True))
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody>"
    yield "</table>"


def _number(count: int) -> str:
    return safe(count_text(count))


def _code(text: str) -> str:
    return f"<code>{safe(text)}</code>"


def _title(rule: str) -> str:
    requirement = catalogue().get(rule)
    return "" if requirement is None else requirement.title
