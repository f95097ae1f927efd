"""What a map is written as: nothing of the field is markup, and a browser may do next to none."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryfield_index.mapping import Map, Pair, html_of, svg_of
from memoryfield_index.mapping.charting import Spot
from memoryfield_readers import visible

SVG = "{http://www.w3.org/2000/svg}"
TEXTS = (
    st.text(max_size=40)
    | st.text("<>&\"'/=!-[]? \n\tscriptleonad;#x", max_size=40)
    | st.text(st.characters(), max_size=10)
)
ATTACKS = (
    "</title></svg><script>alert(1)</script>",
    '" onload="alert(1)',
    "' onmouseover='x",
    "<img src=x onerror=alert(1)>",
    "]]><!--",
    "--></style><style>*{}",
    "&lt;b&gt; &#60; &amp;",
    "\x00\x1b[2J\ud800\udcff\ufffe\uffff\u202e\U000e0041",
)


def a_map(*texts: str) -> Map:
    """A map in which each text stands wherever a text of a field can stand."""
    spots = tuple(
        Spot(text, text, text, float(number), number % 2) for number, text in enumerate(texts)
    )
    pairs = tuple(Pair(0.01, number - 1, number) for number in range(1, len(spots)))
    return Map(texts[0], texts[0], 0.02, spots, pairs, len(pairs), (texts[-1],), 0)


class Elements(HTMLParser):
    """What a page consists of, beside its text."""

    def __init__(self, page: str) -> None:
        """Read a page."""
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.other: list[str] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element and the names of its attributes."""
        self.found.append((tag, tuple(name for name, _ in attrs)))

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


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_an_attack_is_text(attack: str) -> None:
    """The page and the picture have the elements that they have with harmless texts."""
    page, harmless = Elements(html_of(a_map(attack, "x"))), Elements(html_of(a_map("x", "x")))
    assert page.found == harmless.found
    assert page.other == []
    root = ET.fromstring(svg_of(a_map(attack, "x")))
    assert shape(root) == shape(ET.fromstring(svg_of(a_map("x", "x"))))


@settings(max_examples=150, deadline=None)
@given(st.lists(TEXTS.filter(lambda text: bool(text)), min_size=1, max_size=4))
def test_any_text_is_text(texts: list[str]) -> None:
    drawn, harmless = a_map(*texts), a_map(*["x"] * len(texts))
    page = Elements(html_of(drawn))
    assert page.found == Elements(html_of(harmless)).found
    assert page.other == []
    root = ET.fromstring(svg_of(drawn).encode())
    assert shape(root) == shape(ET.fromstring(svg_of(harmless)))
    for circle, text in zip(root.iter(f"{SVG}circle"), texts, strict=True):
        told = circle[0].text or ""
        shown = re.sub("[\ufffe\uffff]", "\ufffd", visible(text))
        assert told.startswith(f"{shown}\n{shown}\n{shown}")


def shape(root: ET.Element) -> list[tuple[str, tuple[str, ...]]]:
    return [(element.tag, tuple(element.attrib)) for element in root.iter()]


def test_the_policy_allows_what_is_there_and_nothing_else() -> None:
    """No source but two hashes: those of the one style and of the one script."""
    page = html_of(a_map("a", "b"))
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules.pop("default-src") == rules.pop("base-uri") == rules.pop("form-action") == "'none'"
    for rule, tag in (("style-src", "style"), ("script-src", "script")):
        [text] = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules.pop(rule) == f"'sha256-{digest}'"
    assert rules == {}
    assert page.index("Content-Security-Policy") < page.index("<title>")


def test_nothing_is_loaded() -> None:
    """Nothing names another resource, and nothing runs but the script."""
    for text in (html_of(a_map("a", "b")), svg_of(a_map("a", "b"))):
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg\")|url\(|@import", text)
        names = {name for _, attributes in Elements(text).found for name in attributes}
        assert not {name for name in names if name.startswith("on")}
        assert not names & {"href", "src", "style", "srcset", "action", "data"}
    assert "<script" not in svg_of(a_map("a"))


def test_the_picture_is_told_in_words_as_well() -> None:
    drawn = a_map("alpha", "beta", "gamma")
    root = ET.fromstring(svg_of(drawn))
    labels = (root.get("aria-labelledby") or "").split()
    told = {element.get("id"): element.text or "" for element in root.iter() if element.get("id")}
    assert root.get("role") == "img"
    assert told[labels[0]] == "Map of alpha"
    assert told[labels[1]].startswith("3 pages, near to each other where they say alike; 2 pairs")
    page = html_of(drawn)
    listed = page[page.index("<table>") :]
    for name in ("alpha", "beta", "gamma"):
        assert f"<code>{name}</code>" in listed[: listed.index("</table>")]
        assert f"<dt>{name} <code>{name}</code></dt><dd>{name}</dd>" in listed
    assert "prefers-color-scheme: dark" in page
    assert "prefers-color-scheme: dark" in svg_of(drawn)


def test_near_pages_are_joined_and_say_so() -> None:
    root = ET.fromstring(svg_of(a_map("alpha", "beta", "gamma")))
    assert len(list(root.iter(f"{SVG}line"))) == 2
    circles = list(root.iter(f"{SVG}circle"))
    assert [circle.get("class") for circle in circles] == ["near"] * 3
    assert "says nearly the same as: alpha, gamma" in (circles[1][0].text or "")


def test_a_page_far_from_all_is_joined_with_none() -> None:
    drawn = Map("f", None, 0.02, (Spot("a.md", "A", "", 0.0, 0.0),), (), 0, (), 0)
    root = ET.fromstring(svg_of(drawn))
    [circle] = root.iter(f"{SVG}circle")
    assert (circle.get("class"), circle[0].text) == (None, "A\na.md")
    assert "<p>None.</p>" in html_of(drawn)
