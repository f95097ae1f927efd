"""The page of a run: nothing in it is markup but its own, and a browser may do next to none."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fleet.results_rows import JOB, done, failed, report

from memoryfield_fleet.results import Recording, page_of
from memoryfield_fleet.results.wording import bytes_text, duration_text, headline, slowest
from memoryfield_readers import visible

ATTACKS = (
    "</title><script>alert(1)</script>",
    '" onload="alert(1)',
    "' onmouseover='x",
    "<img src=x onerror=alert(1)>",
    "--></style><style>*{}",
    "&lt;b&gt; &#60; &amp;",
    "javascript:alert(1)",
    "\x00\x1b[2J\udcff\ufffe\uffff\u202e\U000e0041",
)
TEXTS = st.text(max_size=30) | st.text("<>&\"'/=!-[]? \nscriptleonad;#x", max_size=30)


def facts_of(text: str) -> dict[str, Any]:
    """A run in which a text stands wherever one can stand that is not ours."""
    recording = Recording(JOB)
    error = {"kind": text or "x", "message": text, "hint": text, "exit_code": 4}
    recording.add(failed(text or "x", error=error))
    recording.add(done(text or "x", result=report(MF304=2, MF205=1)))
    return recording.facts()


class Elements(HTMLParser):
    """What a page consists of."""

    def __init__(self, page: str) -> None:
        """Read a page."""
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.other: list[str] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element with its attributes."""
        self.found.append((tag, dict(attrs)))

    def handle_comment(self, data: str) -> None:
        """Note it: there is none."""
        self.other.append(data)

    def unknown_decl(self, data: str) -> None:
        """Note it: there is none."""
        self.other.append(data)

    def handle_pi(self, data: str) -> None:
        """Note it: there is none."""
        self.other.append(data)

    def handle_data(self, data: str) -> None:
        """Note it."""
        self.text.append(data)


PLAIN = [(tag, sorted(attributes)) for tag, attributes in Elements(page_of(facts_of("x"))).found]


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_an_attack_is_text(attack: str) -> None:
    """The page has the same elements as one of a harmless text, which is there to be read."""
    page = page_of(facts_of(attack))
    elements = Elements(page)
    assert [(tag, sorted(attributes)) for tag, attributes in elements.found] == PLAIN
    assert elements.other == []
    known = visible(attack.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    assert re.sub("[\ufffe\uffff]", "\ufffd", known) in elements.text
    page.encode()


@settings(max_examples=30, deadline=None)
@given(TEXTS)
def test_any_text_is_text(text: str) -> None:
    """No text whatever adds an element or an attribute."""
    elements = Elements(page_of(facts_of(text)))
    without_hint = [each for each in PLAIN if each != ("span", ["class"])]
    found = [(tag, sorted(attributes)) for tag, attributes in elements.found]
    assert found == (PLAIN if text else without_hint)
    assert elements.other == []


def test_page_needs_nothing_and_may_do_nothing() -> None:
    """No script; links to the files beside it alone; the policy allows its own style only."""
    page = page_of(facts_of("x"))
    elements = Elements(page).found
    assert not {tag for tag, _ in elements} & {"script", "img", "iframe", "object", "link", "form"}
    links = [
        attributes[name]
        for _, attributes in elements
        for name in ("href", "src")
        if name in attributes
    ]
    assert links == ["results.jsonl", "totals.json"]
    [policy] = [
        str(attributes["content"])
        for tag, attributes in elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    style = page.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'")
    assert "script-src" not in policy
    assert "url(" not in style
    assert 'name="viewport"' in page
    assert "prefers-color-scheme: dark" in style
    assert "max-width: 40rem" in style


def test_page_says_what_the_run_comes_to() -> None:
    """Verdicts, rules with what they demand, failures with their reason, and that it ended."""
    text = " ".join(Elements(page_of(facts_of("cookware"))).text)
    for said in ("2 fields: 0 valid, 1 invalid, 1 failed", "broken off", "MF304", "cookware"):
        assert said in text
    assert "Datetimes are quoted" in text


def test_failures_that_are_not_told_are_counted() -> None:
    """The page says how many more there are than it has."""
    recording = Recording(JOB)
    for number in range(130):
        recording.add(failed(f"f{number}"))
    assert "And 30 more" in page_of(recording.facts())


def test_what_took_no_time_is_not_among_the_slowest() -> None:
    """It has no order; and what stands first among findings is said."""
    recording = Recording(JOB)
    for name, seconds in (("quick", 0.049), ("slow", 0.05)):
        recording.add(done(name, result=report(MF205=1), seconds=seconds))
    facts = recording.facts()
    assert [row["location"] for row in slowest(facts)] == ["slow"]
    assert "<h2>Most findings, errors first</h2>" in page_of(facts)


def test_page_of_nothing() -> None:
    """A run of no field has a page, too."""
    recording = Recording(JOB)
    recording.end()
    assert "0 fields" in page_of(recording.facts())
    assert headline(recording.facts()) == "0 fields: 0 valid"


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (999_940, "999.9 kB"),
     (999_960, "1.0 MB"), (2**63, "9,223,372.0 TB")],
)  # fmt: skip
def test_sizes(size: int, text: str) -> None:
    """A size is told in the unit that suits it."""
    assert bytes_text(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0.00 s"), (9.99, "9.99 s"), (59.94, "59.9 s"), (61.0, "1 min 01 s"),
     (3661.0, "1 h 01 min"), (3_600_000.0, "1,000 h 00 min")],
)  # fmt: skip
def test_durations(seconds: float, text: str) -> None:
    """So is a time."""
    assert duration_text(seconds) == text
