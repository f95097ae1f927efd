"""Pages of a served field: the bytes of the page, or an error that says what came in its place."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.readers.http_fields import (
    HTML,
    MARKDOWN,
    Nowhere,
    http_field,
    open_served,
    pages,
    saved,
    saved_again,
)
from tests.readers.servers import faults
from tests.readers.servers.faulty_http import Fault, FaultyHttp
from tests.readers.servers.http_parts import Reply, Request, Served, answer
from tests.readers.servers.index_pages import python_index

from memoryfield_readers import (
    DEFAULT_LIMITS,
    AccessDenied,
    Entry,
    EntryKind,
    LimitExceeded,
    LocationError,
    Manifest,
    MemoryfieldError,
    NotFound,
    PageError,
    SourceChanged,
    SourceUnavailable,
)

A_AND_B = "field-sha256:61725e02d7eabcaaff99beecf13cf5ec0afeae16e6e25b7f7377eb7edbfdbf70"
"""The known answer of the standard."""


def served(**files: bytes) -> dict[str, bytes | Served]:
    """Pages in a folder with an index, each by its name without the ending."""
    named = {f"{name}.md": data for name, data in files.items()}
    return {"/f/": Served(python_index("/f/", [*named]), HTML), **pages(named)}


def test_a_served_field_is_the_field() -> None:
    """Pages, bytes and pin are those of the same files anywhere else."""
    with (
        FaultyHttp(served(a=b"a\n", b=b"b\n")) as server,
        open_served(server.url("/f/")) as field,
    ):
        assert field.pages == ("a.md", "b.md")
        assert [page.raw for page in field.read(field.pages)] == [b"a\n", b"b\n"]
        assert field.digest() == A_AND_B


def test_names_are_asked_for_percent_encoded() -> None:
    """Whatever a name holds, the server is asked for that file."""
    names = ["a b.md", "100%.md", "%41.md", "x?y#z.md", "q&a;1+1=2.md", "é🍳.md", "a:b.md"]
    files: dict[str, bytes | Served] = {"/f/": Served(python_index("/f/", names), HTML)}
    files |= pages({name: name.encode() for name in names})
    with FaultyHttp(files) as server, open_served(server.url("/f/")) as field:
        assert {name: field.page(name).raw.decode() for name in names} == {n: n for n in names}
        assert all(request.query == "" for request in server.requests)


def test_what_reading_tells_is_in_the_entry() -> None:
    """The size, and the Last-Modified of the answer; what is no time is none."""
    files = served(a=b"a\n", b=b"b\n", c=b"c\n")
    files["/f/b.md"] = Served(b"b\n", MARKDOWN, modified="yesterday")
    files["/f/c.md"] = Served(b"c\n", MARKDOWN, modified="Fri, 31 Dec 9999 23:59:59 -2359")
    with FaultyHttp(files) as server, http_field(server.url("/f/")) as store:
        a, b, c = store.listing()
        assert (a.size, a.modified_ns) == (0, None)
        known, data = saved_again(store, a)
        assert (known.size, known.modified, data) == (2, datetime(2025, 1, 1, tzinfo=UTC), b"a\n")
        assert saved_again(store, b)[0].modified_ns is None
        assert saved_again(store, c)[0].modified is not None


def test_the_time_of_the_last_change_is_asked_for_by_head() -> None:
    """One request without a body; a server that will not say leaves it unknown."""
    with FaultyHttp(served(a=b"a\n", b=b"b\n")) as server, http_field(server.url("/f/")) as store:
        a, b = store.listing()
        known = store.dated(a)
        assert (known.modified, known.size) == (datetime(2025, 1, 1, tzinfo=UTC), 0)
        assert server.requests[-1].method == "HEAD"
        assert store.dated(known) == known
        assert len(server.asked("/f/a.md")) == 1
        for code in (403, 405, 501):
            server.fail("/f/b.md", faults.status(code))
            assert store.dated(b) == b
        server.fail("/f/b.md", faults.status(404))
        with pytest.raises(NotFound):
            store.dated(b)


def test_a_body_that_is_sent_with_gzip_is_the_whole_text() -> None:
    """The hash is of the decoded bytes, whatever length was announced."""
    with FaultyHttp(served(a=b"a\n", b=b"b\n")) as server:
        server.fail("*", faults.gzipped, times=None)
        with open_served(server.url("/f/")) as field:
            assert field.digest() == A_AND_B


@pytest.mark.parametrize("way", ["itself", "redirect"])
def test_a_login_page_is_no_page(way: str) -> None:
    """The message says HTML and gives the final URL, without its query."""
    with (
        FaultyHttp(served(a=b"a\n") | {"/login": Served(faults.LOGIN_PAGE, HTML)}) as server,
        open_served(server.url("/f/")) as field,
    ):
        if way == "itself":
            server.fail("/f/a.md", faults.login_page)
        else:
            server.fail("/f/a.md", faults.redirect("/login?next=%2Ff%2Fa.md&token=s3cr3t"))
        with pytest.raises(PageError) as caught:
            field.page("a.md")
        final = server.url("/login" if way == "redirect" else "/f/a.md")
        assert f"HTML page came in its place, from `{final}`" in caught.value.message
        assert caught.value.location == server.url("/f/")
        assert caught.value.entry == "a.md"
        assert "s3cr3t" not in repr(vars(caught.value))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.md", Served(b"<!DOCTYPE html>\nis how HTML begins\n", MARKDOWN)),
        ("a.md", Served(b"<html> in plain text\n", "text/plain")),
        ("a.md", Served(b"<html> in bytes\n", "application/octet-stream")),
        ("a.md", Served(b"# Markdown\n", HTML)),
        ("a.md", Served(b"<div>Markdown</div>\n", HTML)),
        ("a.html", Served(faults.LOGIN_PAGE, HTML)),
        ("report", Served(faults.LOGIN_PAGE, HTML)),
    ],
    ids=["markdown", "plain", "bytes", "called HTML", "element", "HTML file", "no ending"],
)
def test_what_looks_like_html_may_be_what_is_wanted(name: str, content: Served) -> None:
    """Type and beginning must both be HTML's, and the name must not be."""
    files: dict[str, bytes | Served] = {
        "/f/": Served(python_index("/f/", [name]), HTML),
        f"/f/{name}": content,
    }
    with FaultyHttp(files) as server, http_field(server.url("/f/")) as store:
        assert saved(store, name)[1] == content.body


def test_an_attachment_is_not_a_login_page_either() -> None:
    """Its name says that it is something else."""
    files: dict[str, bytes | Served] = {
        "/f/": Served(python_index("/f/", ["data.csv"]), HTML),
        "/f/data.csv": Served(faults.LOGIN_PAGE, HTML),
    }
    with (
        FaultyHttp(files) as server,
        http_field(server.url("/f/")) as store,
        pytest.raises(PageError, match="HTML page"),
    ):
        saved(store, "data.csv")


FAILING: dict[str, tuple[Fault, type[MemoryfieldError], str]] = {
    "401": (faults.status(401), AccessDenied, "401"),
    "403": (faults.status(403), AccessDenied, "403"),
    "404": (faults.status(404), NotFound, "404"),
    "410": (faults.status(410), NotFound, "410"),
    "429": (faults.status(429), SourceUnavailable, "429"),
    "500": (faults.status(500), SourceUnavailable, "500"),
    "503": (faults.status(503), SourceUnavailable, "503"),
    "204": (faults.status(204), SourceUnavailable, "204"),
    "304": (faults.status(304), SourceUnavailable, "304"),
    "cut": (faults.cut(1), SourceUnavailable, "cut short"),
    "cut in chunks": (faults.cut_in_chunks(1), SourceUnavailable, "cut short"),
    "garbage": (faults.garbage, SourceUnavailable, "is not HTTP"),
    "reset": (faults.reset, SourceUnavailable, "connection"),
    "to itself": (faults.redirect("/f/a.md"), SourceUnavailable, "circle"),
    "silence": (faults.silence, SourceUnavailable, "no answer within"),
    "drip": (faults.drip(0.05), SourceUnavailable, "too slow"),
    "half": (faults.silence_after(1), SourceUnavailable, "1 bytes came"),
}


@pytest.mark.parametrize("fault", sorted(FAILING))
def test_a_page_that_cannot_be_had_is_an_error_of_its_kind(fault: str) -> None:
    """Never a short page, and never "not found" because a server was busy."""
    broken, kind, told = FAILING[fault]
    timeout = 0.2 if fault in ("silence", "half", "drip") else 20
    manifest = Manifest.of({"a.md": "0" * 64})
    with (
        FaultyHttp(served(a=b"a page of some length\n")) as server,
        http_field(server.url("/f/"), manifest=manifest, timeout=timeout) as store,
    ):
        server.fail("/f/a.md", broken, times=None)
        with pytest.raises(MemoryfieldError, match=told) as caught:
            saved(store, "a.md")
        assert type(caught.value) is kind
        assert (caught.value.location, caught.value.entry) == (server.url("/f/"), "a.md")


def test_what_may_pass_is_tried_again() -> None:
    """A page that comes the second time is the page, with nothing of the first time before it."""
    with (
        FaultyHttp(served(a=b"a page\n")) as server,
        http_field(server.url("/f/"), retries=2) as store,
    ):
        store.listing()
        server.fail("/f/a.md", faults.cut(3))
        assert saved(store, "a.md")[1] == b"a page\n"
        assert len(server.asked("/f/a.md")) == 2


def test_a_page_without_a_length_may_be_cut_and_is_named() -> None:
    """No client can notice it: so it is said, and the name is there for who keeps copies."""
    whole = b"x" * 2061
    with (
        FaultyHttp(served(a=whole, b=whole, c=whole)) as server,
        http_field(server.url("/f/")) as store,
    ):
        a, b, c = store.listing()
        by = store.notes
        assert saved_again(store, c)[1] == whole
        assert (store.notes, store.unmeasured) == (by, ())
        server.fail("/f/b.md", faults.cut_without_length(500))
        assert len(saved_again(store, b)[1]) == 500
        told = "the server did not say how long `b.md` is: it may be cut"
        assert (store.notes, store.unmeasured) == ((*by, told), ("b.md",))
        server.fail("/f/a.md", faults.without_length)
        assert saved_again(store, a)[1] == whole
        told = "the server did not say how long `a.md`, `b.md` are: they may be cut"
        assert (store.notes, store.unmeasured) == ((*by, told), ("a.md", "b.md"))


def test_many_pages_without_a_length_make_one_note() -> None:
    """The notes stay short, however many pages there are."""
    many = {f"p{number}": b"x\n" for number in range(8)}
    with FaultyHttp(served(**many)) as server, open_served(server.url("/f/")) as field:
        server.fail("*", faults.without_length, times=None)
        field.digest()
        (note,) = [each for each in field.notes if "how long" in each]
        assert "`p4.md` and 3 more are: they may be cut" in note


def test_the_chunks_of_a_body_measure_it() -> None:
    """A body in chunks says where it ends: it cannot be cut unnoticed."""
    with FaultyHttp(served(a=b"a\n")) as server, http_field(server.url("/f/")) as store:
        server.fail("/f/a.md", faults.chunked)
        assert saved(store, "a.md")[1] == b"a\n"
        assert store.unmeasured == ()


@pytest.mark.parametrize("tag", ["of-bytes", None], ids=["etag", "no etag"])
def test_a_page_that_changes_between_two_reads_is_noticed(tag: str | None) -> None:
    """Both reads ask the server, and one field has one version of a page."""
    files = served(a=b"a\n")
    files["/f/a.md"] = Served(b"a\n", MARKDOWN, etag=tag)
    with FaultyHttp(files) as server, http_field(server.url("/f/")) as store:
        (entry,) = store.listing()
        assert saved_again(store, entry)[1] == saved_again(store, entry)[1] == b"a\n"
        server.files["/f/a.md"] = Served(b"A\n", MARKDOWN, etag=tag)
        with pytest.raises(SourceChanged) as caught:
            saved_again(store, entry)
        assert caught.value.entry == "a.md"


LISTING = b"index.md\n"


@pytest.mark.parametrize(
    ("tag", "status"), [('"v1"', 304), ('W/"v1"', 304), ("v1", 200), (None, 200)]
)
def test_a_page_that_was_read_to_find_others_is_asked_for_with_its_tag(
    tag: str | None, status: int
) -> None:
    """304 stands for the bytes at hand, and what is no entity tag is not sent back."""
    files = pages({"index.md": b"# Hello\n"})
    files["/f/listing.md"] = Served(LISTING, MARKDOWN, etag=tag)
    with FaultyHttp(files) as server, http_field(server.url("/f/")) as store:
        known, data = saved(store, "listing.md")
        assert data == LISTING
        assert (known.size, known.modified) == (len(LISTING), datetime(2025, 1, 1, tzinfo=UTC))
        request = server.requests[-1]
        assert request.status == status
        assert ("if-none-match" in request.headers) is (status == 304)


def test_a_listing_that_changes_while_the_field_is_read_is_noticed() -> None:
    """The pages it named are those of another field than the one that holds it."""
    with (
        FaultyHttp(pages({"listing.md": LISTING, "index.md": b"x\n"})) as server,
        open_served(server.url("/f/")) as field,
    ):
        server.files["/f/listing.md"] = Served(b"index.md a.md\n", MARKDOWN)
        with pytest.raises(SourceChanged):
            field.page("listing.md")


def test_a_listing_without_a_length_is_told_though_it_is_not_sent_again() -> None:
    """304 proves that it is the same, not that it was whole."""
    with (
        FaultyHttp(pages({"listing.md": LISTING})) as server,
        http_field(server.url("/f/")) as store,
    ):
        server.fail("/f/listing.md", faults.without_length)
        saved(store, "listing.md")
        assert server.requests[-1].status == 304
        assert store.unmeasured == ("listing.md",)


def test_what_was_not_asked_for_with_a_tag_cannot_be_unchanged() -> None:
    """A 304 to a request without a condition is an error, not an empty page."""
    with FaultyHttp(served(a=b"a\n")) as server, http_field(server.url("/f/")) as store:
        server.fail("/f/a.md", faults.status(304))
        with pytest.raises(SourceUnavailable, match="304"):
            saved(store, "a.md")


def test_limits_hold_for_each_page_and_for_all() -> None:
    """However long the server says a page is: what is taken is bounded."""
    three = served(a=b"x" * 40, b=b"x" * 40, c=b"x" * 40)
    with FaultyHttp(three) as server:
        limits = replace(DEFAULT_LIMITS, file_bytes=39)
        with open_served(server.url("/f/"), limits=limits) as field:
            with pytest.raises(LimitExceeded) as caught:
                field.page("a.md")
            assert "file-bytes" in str(caught.value.hint)
        limits = replace(DEFAULT_LIMITS, total_bytes=100)
        with open_served(server.url("/f/"), limits=limits) as field:
            with pytest.raises(LimitExceeded) as caught:
                field.digest()
            assert "total-bytes" in str(caught.value.hint)


def test_pages_come_side_by_side_over_connections_that_are_kept() -> None:
    """At most eight at a time, each connection used again."""
    many = {f"p{number}": b"%d\n" % number for number in range(40)}
    with FaultyHttp(served(**many)) as server, open_served(server.url("/f/")) as field:
        assert [page.raw for page in field.read(field.pages)] == [
            many[name.removesuffix(".md")] for name in field.pages
        ]
        assert len(server.requests) == 42
        assert server.connections <= 8


def test_we_say_who_asks() -> None:
    """Some hosts refuse what a library says of itself."""
    with FaultyHttp(served(a=b"a\n")) as server, http_field(server.url("/f/")) as store:

        def refusing(request: Request) -> Reply:
            if not request.headers["user-agent"].startswith("memoryfield-kit/"):
                return Reply(403)
            return answer(request, Served(b"a\n", MARKDOWN))

        server.answers["/f/a.md"] = refusing
        assert saved(store, "a.md")[1] == b"a\n"


def test_no_credential_goes_to_another_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Basic credentials are for the host they are known for, wherever redirects lead."""
    files = pages({"a.md": b"a\n"})
    with FaultyHttp(files, host="localhost") as other, FaultyHttp(served(a=b"")) as server:
        monkeypatch.setenv("MEMORYFIELD_HTTP_USER", "me")
        monkeypatch.setenv("MEMORYFIELD_HTTP_PASSWORD", "s3cr3t")
        monkeypatch.setenv("MEMORYFIELD_HTTP_HOST", f"127.0.0.1:{server.port}")
        server.fail("/f/a.md", faults.redirect(other.url("/f/a.md")))
        with http_field(server.url("/f/")) as store:
            assert saved(store, "a.md")[1] == b"a\n"
        assert "authorization" in server.requests[-1].headers
        assert "authorization" not in other.requests[-1].headers


def test_options_it_does_not_know_are_refused() -> None:
    """A misspelt option is not passed over."""
    with (
        pytest.raises(LocationError, match="no option 'retry'"),
        http_field("http://127.0.0.1:1/f/", retry=1),
    ):
        pass


def test_closing_twice_does_no_harm() -> None:
    """And nothing can be read any more from a field whose server is gone."""
    with FaultyHttp(served(a=b"a\n")) as server, http_field(server.url("/f/")) as store:
        store.listing()
        store.close()
    with pytest.raises(SourceUnavailable):
        store.save(Entry("a.md", EntryKind.FILE), Nowhere())
