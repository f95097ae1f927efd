"""Links of an index in HTML: names of files in its own folder, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.readers.servers.index_pages import INDEXES

from memoryfield_readers.http.enumeration import url_in
from memoryfield_readers.http.html_document import is_html_document
from memoryfield_readers.http.index_page import IndexPage, folder_of, is_plain, read_index_page

URL = "https://example.org/my%20field/"


def read(text: str, url: str = URL) -> IndexPage:
    return read_index_page(text.encode(), url, 100)


NAMES = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="/\\\x00"), min_size=1, max_size=20
).filter(is_plain)


@settings(max_examples=150, deadline=None)
@given(st.lists(NAMES, unique=True, max_size=5), st.sampled_from(sorted(INDEXES)))
@example(
    ["a:b.md", "//x", "a;b=c.md", "%2e%2e", "<b>.md", "'\".md", " .md ", "a\tb\r\n.md"], "nginx"
)
@example(["-->", "<!--"], "python")
def test_every_name_of_a_file_is_read_as_it_was(names: list[str], manner: str) -> None:
    """Percent-encoding and character references are undone once, whatever is in a name."""
    names = [name for name in names if is_plain(name)]
    found = read_index_page(INDEXES[manner]("/my field/", names), URL, 100)
    assert found == IndexPage(tuple(names), (), (), is_index=True, has_more=False)


@pytest.mark.parametrize(
    ("target", "files"),
    [
        ("a.md", ["a.md"]),
        ("./a.md", ["a.md"]),
        (" a.md\n", ["a.md"]),
        ("sub/../a.md", ["a.md"]),
        ("/my%20field/a.md", ["a.md"]),
        ("/my field/a.md", ["a.md"]),
        ("//example.org/my%20field/a.md", ["a.md"]),
        ("https://EXAMPLE.org:443/my%20field/a.md", ["a.md"]),
        ("%61.md", ["a.md"]),
        ("q&amp;a.md", ["q&a.md"]),
        ("http://example.org/my%20field/a.md", []),
        ("https://example.org:8443/my%20field/a.md", []),
        ("https://user@example.org/my%20field/a.md", []),
        ("https://example.com/my%20field/a.md", []),
        ("//example.com/my%20field/a.md", []),
        ("/a.md", []),
        ("../a.md", []),
        ("../my%20fields/a.md", []),
        ("a.md?v=1", []),
        ("?C=N;O=D", []),
        ("a.md#part", []),
        ("#", []),
        ("", []),
        ("sub/a.md", []),
        ("/my%20field//a.md", []),
        ("javascript:a.md", []),
        ("mailto:a.md", []),
        ("http://[a.md", []),
        (".", []),
        ("/my%20field/", []),
        ("..", []),
    ],
)
def test_only_what_is_in_the_folder_counts(target: str, files: list[str]) -> None:
    """Same origin, same folder, no query, no fragment, no sub-directory."""
    found = read(f'<html><a class=x href="{target}">x</a>')
    assert found == IndexPage(tuple(files), (), (), is_index=False, has_more=False)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("%2e%2e%2fa.md", "../a.md"),
        ("a%2fb.md", "a/b.md"),
        ("..%5ca.md", "..\\a.md"),
        ("..\\a.md", "..\\a.md"),
        ("a.md%00", "a.md\x00"),
        ("%2e%2e", ".."),
        ("%2e%2e/", ".."),
        ("%2e", "."),
    ],
)
def test_a_name_that_means_another_file_is_refused(target: str, name: str) -> None:
    """What decodes to a path is never asked for, and told."""
    found = read(f"<a href='{target}'>x</a><a href=b.md>y</a>")
    assert found == IndexPage(("b.md",), (), (name,), is_index=False, has_more=False)


def test_folders_are_noted() -> None:
    """A link that ends in a slash is a folder, also where another one leaves the slash out."""
    found = read("<a href=sub/>x</a><a href=sub>x</a><a href='caf%C3%A9/'>x</a><a href=../>up</a>")
    assert found == IndexPage((), ("sub", "café"), (), is_index=False, has_more=False)


def test_bytes_that_are_not_utf_8_are_asked_for_as_they_are() -> None:
    """A name in Latin-1 keeps its bytes, encoded in the page or not."""
    found = read_index_page(b"<a href=caf%E9.md><a href='na\xefve.md'>", URL, 100)
    assert [url_in("/", name) for name in found.files] == ["/caf%E9.md", "/na%EFve.md"]


@pytest.mark.parametrize(
    ("base", "files"),
    [
        ("<base href='/my%20field/'>", ("a.md",)),
        ("<base href='/other/'>", ()),
        ("<base href='https://example.com/my%20field/'>", ()),
        ("<base target=_top>", ("a.md",)),
        ("<!-- <base href='/other/'> -->", ("a.md",)),
    ],
)
def test_links_begin_where_the_page_says(base: str, files: tuple[str, ...]) -> None:
    """A `base` counts as in a browser: it may lead every link elsewhere."""
    assert read(f"<html><head>{base}</head><a href=a.md>").files == files


@pytest.mark.parametrize(
    "text",
    [
        "<!-- <a href=a.md> -->",
        "<a name=a.md>",
        "<a title='href=a.md'>",
        "<abbr href=a.md>",
        "&lt;a href=a.md&gt;",
        "<a href='" + "a" * 5000 + ".md'>",
        "<a href=a.md",
        "<a href='a.md>",
        "<area href=a.md><link href=a.md>",
    ],
)
def test_what_is_no_link_is_none(text: str) -> None:
    """Comments, other tags and other attributes name no file."""
    assert read(text).files == ()


def test_the_first_of_two_attributes_counts() -> None:
    """As in a browser."""
    assert read("<A HREF=a.md href=b.md>").files == ("a.md",)


@pytest.mark.parametrize(
    "text",
    ["".join(f"<a href={n}.md>" for n in range(12)), "".join(f"<a href=?{n}>" for n in range(200))],
    ids=["names", "links to elsewhere"],
)
def test_no_more_is_read_than_is_wanted(text: str) -> None:
    """What goes on beyond the limit is said to have more, and is not looked at."""
    found = read_index_page(text.encode(), URL, 10)
    assert found.has_more
    assert len(found.files) <= 11


@pytest.mark.parametrize(
    "piece", ["<a ", "<a a ", "<!--", "<a href='", "<base href=", "<", "<title>"]
)
def test_hostile_pages_are_read_to_their_end(piece: str) -> None:
    """What a parser would read again and again is given to it in small pieces."""
    assert read(piece * 100_000 + "<a href=a.md>").files == ("a.md",)


@pytest.mark.parametrize(
    ("kind", "body", "is_html"),
    [
        ("text/html", b"<!DOCTYPE html><html>", True),
        ("Text/HTML; charset=utf-8", b"\xef\xbb\xbf \r\n<HTML lang='en'>", True),
        ("application/xhtml+xml", b"<?xml version='1.0'?>\n<!doctype html>", True),
        ("text/html", b"<!-- hello --><!-- again -->\n<head>", True),
        ("text/html", b"<title>Sign in</title>", True),
        ("text/html", b"# A page\n\n<html>", False),
        ("text/html", b"<div>Markdown may begin so</div>", False),
        ("text/html", b"", False),
        ("text/html", b"<header>", False),
        ("text/markdown", b"<!DOCTYPE html><html>", False),
        ("text/plain", b"<html>", False),
        ("application/octet-stream", b"<html>", False),
        ("", b"<html>", False),
    ],
)
def test_an_html_document_is_told_by_its_type_and_its_beginning(
    kind: str, body: bytes, is_html: bool
) -> None:
    """Neither alone is enough: servers that do not know Markdown call it HTML."""
    assert is_html_document({"content-type": kind}, body) is is_html


def test_the_folder_of_a_url() -> None:
    """The query, a fragment and the last component go."""
    assert folder_of("https://h:1/a%20b/c?x=/y#/z") == "https://h:1/a%20b/"
    assert folder_of("https://h") == "https://h/"
