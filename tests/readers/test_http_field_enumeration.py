"""HTTP has no listing: what names the files of a served field, in which order, and when not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.readers.http_fields import HTML, MARKDOWN, Nowhere, http_field, names, pages
from tests.readers.servers import faults
from tests.readers.servers.faulty_http import Fault, FaultyHttp
from tests.readers.servers.http_parts import Served
from tests.readers.servers.index_pages import INDEXES, python_index
from tests.readers.servers.tls import authority

from memoryfield_readers import (
    DEFAULT_LIMITS,
    AccessDenied,
    EntryKind,
    LimitExceeded,
    Manifest,
    MemoryfieldError,
    NotFound,
    SourceUnavailable,
)

LISTED = b"""---
title: All pages
---
- [One](one.md), [two](./two.md#part), and `three.md`; see also four.md.
- [not below](sub/five.md), [above](../six.md), [there](https://example.org/seven.md)
- [Odd](<Odd Name.md>), [data](data.csv)
"""


def listed_field(listing: bytes = LISTED) -> dict[str, bytes | Served]:
    return pages({"listing.md": listing, "index.md": b"# Hello\n", "one.md": b"1\n"})


def index_of(*names: str, path: str = "/f/") -> Served:
    return Served(python_index(path, names), HTML)


def test_a_manifest_names_the_files_and_nothing_is_asked() -> None:
    """The manifest of a lock file is believed first; what is no plain name in it is left out."""
    manifest = Manifest.of(dict.fromkeys(["a.md", "data.csv", "../b.md", "c/d.md", ".."], "0" * 64))
    with FaultyHttp() as server, http_field(server.url("/f/"), manifest=manifest) as store:
        assert names(store.listing()) == ["a.md", "data.csv"]
        assert server.requests == []
        assert store.notes == ("3 names that cannot be of files are left out, such as `..`",)


def test_a_listing_names_the_pages() -> None:
    """Relative links to pages in the folder and names that are spelt out, as MF402 reads them."""
    with FaultyHttp(listed_field()) as server, http_field(server.url("/f/")) as store:
        found = store.listing()
        expected = ["Odd Name.md", "four.md", "index.md", "listing.md", "one.md", "three.md"]
        assert names(found) == [*expected, "two.md"]
        assert {entry.kind for entry in found} == {EntryKind.FILE}
        assert [r.path for r in server.requests] == ["/f/listing.md", "/f/index.md"]
        (note,) = store.notes
        assert "listing.md" in note
        assert "attachments cannot be seen" in note
        assert "field pin" in note


def test_index_md_is_not_asked_for_where_it_is_named() -> None:
    """One request is enough where `listing.md` names `index.md`."""
    files = listed_field(b"[start](index.md) [One](one.md)\n")
    with FaultyHttp(files) as server, http_field(server.url("/f/")) as store:
        assert names(store.listing()) == ["index.md", "listing.md", "one.md"]
        assert len(server.requests) == 1


@pytest.mark.parametrize("gone", [404, 410])
def test_index_md_need_not_be_there(gone: int) -> None:
    """A field may have none, and an HTML page in its place is none."""
    with FaultyHttp(listed_field(b"one.md\n")) as server, http_field(server.url("/f/")) as store:
        server.fail("/f/index.md", faults.status(gone))
        assert names(store.listing()) == ["listing.md", "one.md"]
        server.fail("/f/index.md", faults.login_page)
        assert names(store.listing()) == ["listing.md", "one.md"]


def test_an_index_md_beyond_the_limit_is_there() -> None:
    """That it is too large is told when it is read, not while files are enumerated."""
    files = listed_field(b"one.md\n") | pages({"index.md": b"x" * 100})
    limits = replace(DEFAULT_LIMITS, page_bytes=50)
    with FaultyHttp(files) as server, http_field(server.url("/f/"), limits=limits) as store:
        assert names(store.listing()) == ["index.md", "listing.md", "one.md"]


def test_a_name_with_a_backslash_is_never_asked_for() -> None:
    """What could mean another file elsewhere is left out and told."""
    files = listed_field(b"one.md [a](..%5Ca.md) [b](b%00.md) [c](%252e%252e%252fc.md)\n")
    with FaultyHttp(files) as server, http_field(server.url("/f/")) as store:
        expected = ["%2e%2e%2fc.md", "index.md", "listing.md", "one.md"]
        assert names(store.listing()) == expected
        assert store.notes[1:] == (
            "2 names that cannot be of files are left out, such as `..\\a.md`",
        )


@pytest.mark.parametrize("first", ["absent", "gone", "login page", "names nothing"])
def test_an_html_index_comes_after_the_listing(first: str) -> None:
    """Absent, an HTML page, or without a name in it: then the links of the index count."""
    files = listed_field(b"Nothing yet.\n") | {"/f/": index_of("a.md", "data.csv", "sub/")}
    failing = {
        "absent": faults.status(404),
        "gone": faults.status(410),
        "login page": faults.login_page,
    }
    with FaultyHttp(files) as server, http_field(server.url("/f/")) as store:
        if first in failing:
            server.fail("/f/listing.md", failing[first])
        found = store.listing()
        assert names(found) == ["a.md", "data.csv", "sub"]
        assert [e.path for e in found if e.kind is EntryKind.DIRECTORY] == ["sub"]
        assert [r.path for r in server.requests] == ["/f/listing.md", "/f/"]
        assert store.notes == ("the files are those that an HTML index links to",)


def test_a_listing_alone_is_a_field() -> None:
    """Where nothing else names files, a `listing.md` that names none is still a page."""
    with FaultyHttp(listed_field(b"Nothing.\n")) as server, http_field(server.url("/f/")) as store:
        assert names(store.listing()) == ["index.md", "listing.md"]


@pytest.mark.parametrize("manner", sorted(INDEXES))
def test_indexes_of_three_manners_are_read(manner: str) -> None:
    """Each file of the folder, and no link that sorts, leads up, or leads to the folder itself."""
    listed = ["a.md", "b c.md", "é.md", "%41.md", "x?y.md", "q&a.md", "data.csv", "sub/", "a" * 99]
    index = INDEXES[manner]("/f/", listed)
    with (
        FaultyHttp({"/f/": Served(index, HTML)}) as server,
        http_field(server.url("/f/")) as store,
    ):
        assert names(store.listing()) == sorted(name.rstrip("/") for name in listed)


STOPPING: dict[str, tuple[Fault, type[MemoryfieldError]]] = {
    "401": (faults.status(401), AccessDenied),
    "403": (faults.status(403), AccessDenied),
    "429": (faults.status(429), SourceUnavailable),
    "500": (faults.status(500), SourceUnavailable),
    "503": (faults.status(503, Retry_After="3600"), SourceUnavailable),
    "hang up": (faults.hang_up, SourceUnavailable),
    "cut": (faults.cut(3), SourceUnavailable),
    "away": (faults.redirect("ftp://127.0.0.1/"), SourceUnavailable),
    "silence": (faults.silence, SourceUnavailable),
}


@pytest.mark.parametrize("path", ["listing.md", "index.md", ""])
@pytest.mark.parametrize("fault", sorted(STOPPING))
def test_a_busy_or_forbidding_server_is_not_an_empty_one(fault: str, path: str) -> None:
    """Only what is absent sends to the next step: all else is an error of its own kind."""
    broken, kind = STOPPING[fault]
    files = listed_field(b"one.md\n") | {"/f/": index_of("a.md")}
    timeout = 0.2 if fault == "silence" else 20
    with FaultyHttp(files) as server, http_field(server.url("/f/"), timeout=timeout) as store:
        if not path:
            server.fail("/f/listing.md", faults.status(404), times=None)
        server.fail(f"/f/{path}", broken, times=None)
        with pytest.raises(kind) as caught:
            store.listing()
        assert type(caught.value) is kind
        assert caught.value.location == server.url("/f/")
        steps = ["/f/listing.md", f"/f/{path}"]
        assert set(steps) == {request.path for request in server.requests}


def test_a_circle_of_redirects_is_not_absent() -> None:
    """A loop is an error of the server, which proves nothing about the field."""
    with FaultyHttp() as server, http_field(server.url("/f/")) as store:
        server.fail("/f/listing.md", faults.redirect("/f/x"), times=None)
        server.fail("/f/x", faults.redirect("/f/listing.md"), times=None)
        with pytest.raises(SourceUnavailable, match="circle") as caught:
            store.listing()
        assert type(caught.value) is SourceUnavailable


def test_what_was_tried_before_a_step_that_failed_is_told() -> None:
    """A server that does not list folders says 403: the message tells the whole story."""
    with FaultyHttp() as server, http_field(server.url("/f/"), tried=["no x.zip"]) as store:
        server.fail("/f/", faults.status(403))
        with pytest.raises(AccessDenied) as caught:
            store.listing()
        tried = "before: no x.zip, no listing.md (404 Not Found)"
        assert caught.value.message == f"403 Forbidden; {tried}"
        assert "listing.md" in str(caught.value.hint)


def test_nothing_there_says_what_was_tried() -> None:
    """Absent at each step is absent; the message names the steps."""
    with FaultyHttp() as server, http_field(server.url("/f/"), tried=["no x.zip"]) as store:
        with pytest.raises(NotFound) as caught:
            store.listing()
        assert caught.value.message == (
            "nothing says which pages there are:"
            " no x.zip, no listing.md (404 Not Found), no / (404 Not Found)"
        )
        assert "memoryfield.zip" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("root", "told"),
    [
        (Served(b"# Hello\n", MARKDOWN), "/ is no HTML index"),
        (Served(python_index("/", ["a.md"]), "text/plain"), "/ is no HTML index"),
        (Served(faults.LOGIN_PAGE, HTML), "that links to no page"),
        (Served(b"<html><a href='x.md?v=1'></a><a href='p'>", HTML), "that links to no page"),
    ],
    ids=["a page", "another type", "a login page", "a site"],
)
def test_what_is_there_but_names_nothing_is_not_absent(root: Served, told: str) -> None:
    """A server that answers something else is no proof that the field is gone."""
    with FaultyHttp({"/f/": root}) as server, http_field(server.url("/f/")) as store:
        with pytest.raises(SourceUnavailable, match=told) as caught:
            store.listing()
        assert type(caught.value) is SourceUnavailable


def test_a_page_of_links_is_an_index_of_what_it_links_to() -> None:
    """Where a page in HTML does not call itself an index, the notes say what that means."""
    page = Served(b"<html><title>Pages about woks</title><a href=a.md>A</a>", HTML)
    with FaultyHttp({"/f/": page}) as server, http_field(server.url("/f/")) as store:
        assert names(store.listing()) == ["a.md"]
        (note,) = store.notes
        assert "does not call itself an index" in note
        assert "field pin" in note


def test_an_index_without_pages_is_an_index() -> None:
    """A folder without a page is listed as it is: that it is no field is for others to say."""
    files: dict[str, bytes | Served] = {"/f/": index_of("data.csv"), "/g/": index_of(path="/g/")}
    with FaultyHttp(files) as server:
        with http_field(server.url("/f/")) as store:
            assert names(store.listing()) == ["data.csv"]
        with http_field(server.url("/g/")) as store:
            assert store.listing() == ()


def test_a_redirect_of_the_folder_is_followed_for_all_that_follows() -> None:
    """Files are asked for where the index was found, and the notes say so."""
    files: dict[str, bytes | Served] = {"/new/f/": index_of("a.md", path="/new/f/")}
    with FaultyHttp(files | pages({"a.md": b"a\n"}, "/new/f/")) as server:
        server.fail("/f/", faults.redirect("/new/f/?session=1", 301), times=None)
        with http_field(server.url("/f/")) as store:
            (entry,) = store.listing()
            store.save(entry, Nowhere())
            assert [r.path for r in server.requests][-1] == "/new/f/a.md"
            assert f"the server sent us on to `{server.url('/new/f/')}`" in store.notes


def test_a_redirect_of_the_listing_moves_the_folder_on_the_same_origin_alone() -> None:
    """On its own origin a moved `listing.md` stands beside the pages; elsewhere it is noted."""
    moved = pages({"listing.md": b"index.md one.md\n", "one.md": b"1\n"}, "/new/")
    with FaultyHttp(moved) as other, FaultyHttp(moved) as server:
        server.files |= pages({"one.md": b"old\n"})
        server.fail("/f/listing.md", faults.redirect("/new/listing.md"))
        with http_field(server.url("/f/")) as store:
            store.save({e.path: e for e in store.listing()}["one.md"], Nowhere())
            assert server.requests[-1].path == "/new/one.md"
        server.fail("/f/listing.md", faults.redirect(other.url("/new/listing.md")))
        with http_field(server.url("/f/")) as store:
            store.save({e.path: e for e in store.listing()}["one.md"], Nowhere())
            assert server.requests[-1].path == "/f/one.md"
            assert f"the server sent us on to `{other.url('/new/')}`" in store.notes


def test_a_folder_that_moved_to_https_is_read_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same host with TLS is where all that follows is asked for."""
    known = authority(tmp_path)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(known.ca_file))
    files = pages({"listing.md": b"index.md one.md\n", "one.md": b"1\n"})
    with FaultyHttp(files, tls=known.context) as safe, FaultyHttp() as server:
        server.fail("/f/listing.md", faults.redirect(safe.url("/f/listing.md"), 301))
        with http_field(server.url("/f/")) as store:
            store.save({e.path: e for e in store.listing()}["one.md"], Nowhere())
            assert [r.path for r in safe.requests] == ["/f/listing.md", "/f/one.md"]
            assert [r.path for r in server.requests] == ["/f/listing.md"]
            assert f"the server sent us on to `{safe.url('/f/')}`" in store.notes


def test_an_index_on_another_host_is_read_there() -> None:
    """Links count that are on the origin of the index, wherever it came from."""
    index = Served(
        python_index("/f/", ["a.md"]).replace(b"</ul>", b"<a href='SERVER/f/b.md'></ul>"), HTML
    )
    with FaultyHttp({"/f/": index}) as other, FaultyHttp() as server:
        here = index.body.replace(b"SERVER", server.base.encode())
        other.files["/f/"] = replace(index, body=here)
        server.fail("/f/", faults.redirect(other.url("/f/")))
        with http_field(server.url("/f/")) as store:
            assert names(store.listing()) == ["a.md"]
            assert f"the server sent us on to `{other.url('/f/')}`" in store.notes


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (replace(DEFAULT_LIMITS, entries=2), "entries"),
        (replace(DEFAULT_LIMITS, page_bytes=100), "page-bytes"),
    ],
    ids=["entries", "bytes"],
)
def test_a_listing_beyond_the_limits_is_refused(limits: object, told: str) -> None:
    """Never a part of a field: the error names the limit."""
    assert isinstance(limits, type(DEFAULT_LIMITS))
    with FaultyHttp(listed_field()) as server, http_field(server.url("/f/"), limits=limits) as s:
        with pytest.raises(LimitExceeded) as caught:
            s.listing()
        assert told in str(caught.value.hint)


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (replace(DEFAULT_LIMITS, entries=2), "entries"),
        (replace(DEFAULT_LIMITS, directory_bytes=100), "directory-bytes"),
    ],
    ids=["entries", "bytes"],
)
def test_an_index_beyond_the_limits_is_refused(limits: object, told: str) -> None:
    """Never a part of a field: the error names the limit."""
    assert isinstance(limits, type(DEFAULT_LIMITS))
    files: dict[str, bytes | Served] = {"/f/": index_of("a.md", "b.md", "c/")}
    with FaultyHttp(files) as server, http_field(server.url("/f/"), limits=limits) as store:
        with pytest.raises(LimitExceeded) as caught:
            store.listing()
        assert told in str(caught.value.hint)


@pytest.mark.parametrize("by", ["listing.md", "its index"])
def test_what_may_be_cut_may_name_too_few(by: str) -> None:
    """Where no length was announced for what names the files, the notes say so."""
    files = {"/f/": index_of("a.md")} | (listed_field() if by == "listing.md" else {})
    with FaultyHttp(files) as server, http_field(server.url("/f/")) as store:
        server.fail("/f/" if by == "its index" else "/f/listing.md", faults.without_length)
        store.listing()
        assert store.notes[-1].startswith(f"the server did not say how long {by} is")
