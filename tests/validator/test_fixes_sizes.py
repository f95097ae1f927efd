"""Large and hostile pages are mended in linear time: a quadratic step would not come to its end."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from tests.validator.fields import BODY, archive, page, pages
from tests.validator.fixes_fields import assert_clean, fixable, mend

from memoryfield_readers import DEFAULT_LIMITS, inspect_field
from memoryfield_validator import validate, validation
from memoryfield_validator.fixes import diff, propose

_MOST = (128 if os.environ.get("MEMORYFIELD_CRASH_ALL") == "1" else 48) * 1024
"""Bytes of a body: with them a quadratic step would take an hour."""

BODIES = {
    "blank lines": "\n",
    "headings of marks": "#" * 70 + " ",
    "headings": "# \n",
    "brackets": "[",
    "links": "[x](A.md)",
    "links in lines": "[x](A.md)\n",
    "definitions": "[x]: A.md\n",
    "entries": "- gone.md\n",
    "different entries": "",
    "nested entries": "- gone.md\n  - x\n",
    "lazy lines": "- gone.md\nx\n",
    "table heads": "| gone.md |\n| --- |\n",
    "blanks": " ",
    "dashes": "- ",
    "emphasis": "*a",
    "backticks": "`a",
    "comments": "<!-- ",
    "fences": "```\n",
}


@pytest.mark.parametrize("name", ["a.md", "listing.md"])
@pytest.mark.parametrize("kind", BODIES)
def test_large_bodies(kind: str, name: str) -> None:
    """A large page is mended, shown, and clean, whatever it is made of."""
    piece = BODIES[kind]
    if piece:
        body = piece * (_MOST // len(piece))
    else:
        body = "".join(f"- gone-{number}.md\n" for number in range(_MOST // 17))
    text = page("# " + body, title=None, number=1)
    mended = mend({"A.md": page(number=2), name: text, "b.md": page(number=3)})
    assert_clean(mended)
    assert {finding.rule for finding in mended.proposal.findings} >= {"MF303"}
    assert diff(mended.proposal).startswith("diff --git ")


LINES = {
    "values with colons": "x{}: a: b\n",
    "long values": "x{}: " + "a: " * 300 + "b\n",
    "reserved characters": "x{}: @a\n",
    "aliases": "x{}: *a\n",
    "brackets": "x{}: [a] b\n",
    "quotes": "x{}: it's: so\n",
}


@pytest.mark.parametrize("kind", LINES)
def test_blocks_of_many_faults(kind: str) -> None:
    """A block near its bound whose every line lacks quotes is mended at once."""
    line = LINES[kind]
    count = 40_000 // (len(line) + 8)
    lines = "".join(line.format(number) for number in range(count))
    mended = mend({"a.md": page(more=lines)})
    assert_clean(mended)
    assert [finding.rule for finding in mended.proposal.findings] == ["MF301"]
    assert mended.page().count(b": '") == count + 2  # the dates are quoted already


@pytest.mark.parametrize("size", [61_000, 62_000, 65_000, 65_300, 70_000])
def test_blocks_near_the_bound(size: int) -> None:
    """Mending never takes a block over its bound, and promises nothing where it would."""
    block = f"title: no\ncreated: 2026-03-01\nx: '{'y' * (size - 40)}'\n"
    assert_clean(mend({"a.md": f"---\n{block}---\n{BODY}"}))


@pytest.mark.parametrize("short", [0, 1, 100, 4000, 4200])
def test_pages_near_the_limit(short: int) -> None:
    """Mending never makes a page that readers refuse."""
    text = page(title="no").encode()
    text += b"x" * (DEFAULT_LIMITS.page_bytes - len(text) - short)
    mended = mend({"a.md": text})
    assert_clean(mended)
    assert not [finding for finding in mended.after.findings if finding.rule == "MF607"]


def test_limits_of_the_reader_hold_for_what_is_written() -> None:
    """No page is made larger than the limits allow that the field was opened with."""
    text = page(title="no")
    for most, changes in ((len(text), 0), (len(text) + 1, 0), (len(text) + 2, 1)):
        limits = replace(DEFAULT_LIMITS, page_bytes=most)
        with inspect_field(archive({"a.md": text}), limits=limits) as field:
            report = validate(field)
            proposal = propose(field, report, judge=validate, limits=limits)
        assert len(fixable(report)) == 1
        assert len(proposal.changes) == len(proposal.findings) == changes


def test_a_listing_of_more_pages_than_fit_in_it() -> None:
    """Where a listing would grow too large, nothing is added to it."""
    filler = "x" * (DEFAULT_LIMITS.page_bytes - 1000)
    mended = mend({**pages(50, first=2), "listing.md": page(filler, number=1)})
    assert_clean(mended)
    assert mended.proposal.changes == ()


def test_more_findings_than_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """All pages are mended, also those whose findings were left out of a report."""
    monkeypatch.setattr(validation, "MOST_IN_FIELD", 50)
    count = 60
    files = {f"page-{number}.md": f"---\nx: {number}\n---\n{BODY}" for number in range(count)}
    mended = mend(files)
    assert len(fixable(mended.before)) < 4 * count
    assert_clean(mended)
    assert len(mended.proposal.rewrites) == count
