"""Sizes, cursors, URIs and arguments of the MCP server: whatever comes, it is bounded."""

from __future__ import annotations

import base64
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agents.mcp_places import ODD_NAMES

from memoryfield_agents.mcp_server.arguments import (
    cursor_of,
    listing_of,
    question_of,
    reading_of,
)
from memoryfield_agents.mcp_server.cursors import Cursors, Kind
from memoryfield_agents.mcp_server.refusals import Refusal
from memoryfield_agents.mcp_server.sizing import (
    MOST_POINTS,
    answer_text,
    cut,
    fitting,
    points,
    shares,
    short,
    weight,
)
from memoryfield_agents.mcp_server.uris import is_uri, parts_of, uri_of

ANY_TEXT = st.text(st.characters(), max_size=200)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=8,
)


@given(ANY_TEXT)
def test_any_text_comes_back_out_of_an_answer(text: str) -> None:
    """What is answered parses back, has one line, and shows all that cannot be seen."""
    json_text = answer_text({"text": text})
    assert json_text.isprintable()
    assert not set(json_text) & set("<>&")
    back = json.loads(json_text)["text"]
    assert back == "".join("\ufffd" if 0xD800 <= ord(each) < 0xE000 else each for each in text)


@given(ANY_TEXT, ANY_TEXT)
def test_points_add_up_and_bound_the_bytes(one: str, other: str) -> None:
    """Points are additive, and there are never more bytes than points."""
    both = answer_text(one) + answer_text(other)
    assert points(both) == weight(one) + weight(other)
    assert len(both.encode()) <= points(both)


@given(ANY_TEXT, st.integers(0, 500))
def test_what_fits_fits_and_one_more_does_not(text: str, most: int) -> None:
    """As much as possible is taken, and no more."""
    end = fitting(text, most)
    assert weight(text[:end]) - 4 <= most
    assert end == len(text) or weight(text[: end + 1]) - 4 > most


@given(ANY_TEXT, st.integers(0, 100))
def test_pieces_make_up_the_whole(text: str, most: int) -> None:
    """Cut again and again, a text comes out as it was."""
    rest, pieces = text, []
    while rest:
        pieces.append(cut(rest, most))
        assert pieces[-1]
        rest = rest[len(pieces[-1]) :]
    assert "".join(pieces) == text


def test_a_text_is_cut_at_the_end_of_a_line() -> None:
    """If one is near."""
    assert cut("one two three\nfour five six\nseven", 35) == "one two three\nfour five six\n"
    assert cut("x" * 30, 20) == "x" * 20


@given(ANY_TEXT, st.integers(20, 300))
def test_short_texts_are_short(text: str, most: int) -> None:
    """With the ellipsis."""
    assert weight(short(text, most)) - 4 <= most


@given(st.lists(st.integers(0, 1000), max_size=20), st.integers(0, 3000))
def test_shares_are_fair(wanted: list[int], whole: int) -> None:
    """Nobody gets more than wanted, nor less than another who wants as much."""
    parts = shares(wanted, whole)
    assert sum(parts) <= whole or not wanted
    for want, part in zip(wanted, parts, strict=True):
        assert part <= want
        assert part == want or part >= max(parts) - len(parts)
    if sum(wanted) <= whole:
        assert parts == wanted


@given(st.lists(ANY_TEXT | st.integers(), max_size=4))
def test_cursors_open_where_they_were_sealed(content: list[Any]) -> None:
    """And nowhere else: each process has a key of its own."""
    cursors = Cursors()
    cursor = cursors.seal(Kind.PIECE, *content)
    assert cursors.open(cursor) == (Kind.PIECE, content)
    with pytest.raises(Refusal, match="no cursor that this server gave"):
        Cursors().open(cursor)


@given(st.data())
@settings(max_examples=40)
def test_changed_cursors_are_refused(data: st.DataObject) -> None:
    """Cut, lengthened, with one character changed, or spelt in another way."""
    cursors = Cursors()
    cursor = cursors.seal(Kind.PIECE, "notes", "0" * 20, 3, 17)
    place = data.draw(st.integers(0, len(cursor) - 1))
    other = data.draw(st.characters(codec="ascii").filter(lambda each: each != cursor[place]))
    changed = cursor[:place] + other + cursor[place + 1 :]
    for forged in (changed, cursor[:place], cursor + other, cursor + "=", " " + cursor):
        with pytest.raises(Refusal):
            cursors.open(forged)


@given(ANY_TEXT)
def test_any_text_is_no_cursor(text: str) -> None:
    """Whatever it is."""
    with pytest.raises(Refusal):
        Cursors().open(text)


def test_a_forged_cursor_means_nothing() -> None:
    """Who knows the form does not know the key."""
    body = b"\0" * 16 + json.dumps(["piece", "notes", "0", 0, 0]).encode()
    with pytest.raises(Refusal):
        Cursors().open(base64.urlsafe_b64encode(body).decode().rstrip("="))


NAMES = st.text(st.characters(), min_size=1, max_size=40).filter(
    lambda name: not any(0xD800 <= ord(each) < 0xE000 for each in name)
)


@given(NAMES)
def test_uris_lead_back(name: str) -> None:
    """The URI of a page is ASCII without a slash in its last part, and names that page alone."""
    uri = uri_of("notes", name)
    assert uri.isascii()
    assert is_uri(uri)
    assert uri.count("/") == 3
    assert parts_of(uri) == ("notes", name)


def test_names_that_are_not_unicode_have_uris_too() -> None:
    """As bytes."""
    assert uri_of("notes", "\udcff.md") == "memoryfield://notes/%FF.md"
    assert parts_of("memoryfield://notes/%FF.md") == ("notes", "\udcff.md")


@pytest.mark.parametrize(
    "uri",
    ["memoryfield://notes", "memoryfield:///a.md", "memoryfield://notes/a/b.md", "file:///a.md",
     "memoryfield://notes/a.md?x", "memoryfield://notes/a.md#x", "memoryfield://notes/../a.md", ""],
)  # fmt: skip
def test_other_uris_are_none(uri: str) -> None:
    """Paths, queries and fragments mean nothing."""
    with pytest.raises(Refusal):
        parts_of(uri)


def test_escapes_are_undone_once() -> None:
    """Never twice."""
    assert parts_of("memoryfield://n/%252e%252e%252fa.md") == ("n", "%2e%2e%2fa.md")


@given(
    st.dictionaries(
        st.sampled_from(
            ["query", "field", "k", "mode", "names", "max_bytes", "cursor", "reload", "x"]
        ),
        JSON,
    )
)
@settings(max_examples=40)
def test_arguments_are_values_or_refused(given_: dict[str, Any]) -> None:
    """Whatever JSON comes, nothing else happens."""
    for parse in (listing_of, question_of, reading_of, cursor_of):
        with suppress(Refusal):
            parse(given_)


def test_arguments_have_bounds() -> None:
    """Too much is refused or brought down, and says how much there may be."""
    assert question_of({"query": "woks"}).k == 5
    assert question_of({"query": "woks", "k": 10**9, "mode": None}).k == 50
    assert reading_of({"names": "a.md"}).names == ("a.md",)
    assert reading_of({"names": ["a.md", "a.md"], "max_bytes": 1}).most == 6000
    assert reading_of({"names": list(ODD_NAMES), "max_bytes": 10**9}).most == MOST_POINTS
    for given_, says in (
        ({"names": ["a.md"] * 21}, "at most 20"),
        ({"names": []}, "list of names"),
        ({"names": [1]}, "a text"),
        ({"names": ["x" * 2000]}, "no longer"),
        ({"names": ["a.md"], "max_bytes": True}, "whole number"),
        ({"names": ["a.md"], "path": "/etc"}, "no argument 'path'"),
    ):
        with pytest.raises(Refusal, match=says):
            reading_of(given_)
    with pytest.raises(Refusal, match="longer than 2,000"):
        question_of({"query": "x" * 2001})
    with pytest.raises(Refusal, match="query is missing"):
        question_of({"query": " \n"})
