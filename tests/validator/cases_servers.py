"""Servers that break one requirement each, and what is told of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from tests.readers.servers.http_parts import Reply, Request
from tests.validator.fields import archive, as_bytes
from tests.validator.served_field import PAGES, ServedField, as_json, decoded, good, html

Break = Callable[[ServedField], None]
LOGIN = '<form><input name="p" type="password"></form>'


class Case(NamedTuple):
    """One way to break a requirement.

    Attributes:
        rule: the requirement.
        what: the way, in words.
        make: what makes a good server do so.
        file: the path of the first finding.
        says: what its message holds.
        times: how many findings there are; -1 for one or more.
    """

    rule: str
    what: str
    make: Break
    file: str
    says: str
    times: int = 1


def answers(path: str, change: Callable[[Reply], Reply]) -> Break:
    """Change every answer for a path."""
    return lambda server: server.change(path, lambda request, reply: change(reply))


def with_status(status: int) -> Callable[[Reply], Reply]:
    """Another status, and nothing else."""
    return lambda reply: Reply(status, {}, b"")


def with_header(name: str, value: str) -> Callable[[Reply], Reply]:
    """Another value of a header."""

    def change(reply: Reply) -> Reply:
        reply.headers[name] = value
        return reply

    return change


def with_body(change: Callable[[bytes], bytes]) -> Callable[[Reply], Reply]:
    """Another body, under the same headers."""

    def changed(reply: Reply) -> Reply:
        reply.body = change(reply.body)
        return reply

    return changed


def packs(**pages: str | None) -> Break:
    """Serve an archive of other pages; None leaves one out."""

    def make(server: ServedField) -> None:
        names = {name.replace("_", "-") + ".md": text for name, text in pages.items()}
        wanted = {"plan.bin": "\x00\x01", **PAGES, **names}
        files = {name: as_bytes(text) for name, text in wanted.items() if text is not None}
        server.files["/memoryfield.zip"] = good(archive(files), "application/zip")
        listing = "".join(f"- [{name}]({name})\n" for name in PAGES)
        server.files["/listing.md"] = good(listing.encode(), "text/markdown")

    return make


def searches(answer: Callable[[str], Reply | None]) -> Break:
    """Answer searches otherwise."""
    return lambda server: server.changed_query(answer)


def always(value: object) -> Break:
    """Answer each search with this JSON."""
    return searches(lambda query: as_json(value))


def result(**others: object) -> dict[str, object]:
    """A result that is good but for what is given."""
    return {"filename": "plain.md", "frontmatter": None, **others}


def without_range(request: Request, reply: Reply) -> Reply:
    return Reply(416, {}, b"") if "range" in request.headers else reply


def without_condition(request: Request, reply: Reply) -> Reply:
    return Reply(412, {}, b"") if "if-none-match" in request.headers else reply


def gives(pattern: str, body: bytes) -> Break:
    """Give something for paths that hold a text once they are decoded as often as can be."""

    def change(request: Request, reply: Reply) -> Reply:
        found = pattern in decoded(request) and request.path.count(".md") != 1
        return Reply(200, {"Content-Type": "text/plain"}, body) if found else reply

    return lambda server: server.change("*", change)


def to_login(request: Request, reply: Reply) -> Reply:
    if request.path == "/login":
        return html(LOGIN)
    return Reply(302, {"Location": "/login"}, b"")


def cut_range(request: Request, reply: Reply) -> Reply:
    if reply.status == 206:
        reply.body = b"x" * len(reply.body)
    return reply


def never_new(request: Request, reply: Reply) -> Reply:
    return Reply(304, {}, b"") if "if-none-match" in request.headers else reply


def weak(reply: Reply) -> Reply:
    reply.headers["ETag"] = "W/" + reply.headers.get("ETag", '""')
    return reply


def untagged(reply: Reply) -> Reply:
    reply.headers.pop("ETag", None)
    return reply


def whole_if_range(request: Request, reply: Reply) -> Reply:
    if "if-range" in request.headers and reply.status == 200:
        head = {**reply.headers, "Content-Range": f"bytes 0-0/{len(reply.body)}"}
        return replace(reply, status=206, headers=head, body=reply.body[:1])
    return reply


CASES = (
    Case("MF701", "missing", answers("/heat.md", with_status(404)), "heat.md", "404 Not Found"),
    Case("MF701", "broken", answers("/heat.md", with_status(500)), "heat.md", "500"),
    Case("MF701", "plain text", answers("/heat.md", with_header("Content-Type", "text/plain")),
         "heat.md", "its content type is `text/plain`"),
    Case("MF701", "rendered", answers("/heat.md", lambda reply: html("<h1>Heat</h1>")),
         "heat.md", "is an HTML document"),
    Case("MF701", "other ends of lines",
         answers("/heat.md", with_body(lambda body: body.replace(b"\n", b"\r\n"))),
         "heat.md", "changed on its way"),
    Case("MF701", "trimmed", answers("/heat.md", with_body(bytes.strip)),
         "heat.md", "changed on its way"),
    Case("MF701", "another text under its tag",
         answers("/heat.md", with_body(lambda body: body + b"<!-- served by x -->")),
         "heat.md", "changed on its way"),
    Case("MF701", "found whatever is asked",
         lambda server: server.answers.update({"*": lambda request: html("Not found.")}),
         "memoryfield-check-of-a-name-that-no-page-has.md", "200 OK, not 404"),
    Case("MF702", "nothing there", answers("/", with_status(404)), "./", "404, though there is"),
    Case("MF702", "a greeting", answers("/", lambda reply: html("Welcome.")), "./",
         "links to no page"),
    Case("MF702", "forbidden", answers("/", with_status(403)), "./", "403"),
    Case("MF702", "another page", answers("/", with_body(lambda body: b"# Other\n")), "./",
         "other bytes than index.md"),
    Case("MF702", "plain text", answers("/", with_header("Content-Type", "text/plain")), "./",
         "content type"),
    Case("MF702", "200 without index.md", answers("/index.md", with_status(404)), "./",
         "no index.md to give"),
    Case("MF703", "missing", answers("/memoryfield.zip", with_status(404)), "memoryfield.zip",
         "404"),
    Case("MF703", "of another type",
         answers("/memoryfield.zip", with_header("Content-Type", "application/octet-stream")),
         "memoryfield.zip", "`application/octet-stream`"),
    Case("MF703", "no archive", answers("/memoryfield.zip", lambda reply: html("Gone.")),
         "memoryfield.zip", "it breaks MF601"),
    Case("MF703", "without a page", packs(heat=None), "memoryfield.zip", "it lacks"),
    Case("MF703", "of another time", packs(heat="# An older text\n"), "memoryfield.zip",
         "other bytes than the server gives by name for `heat.md`"),
    Case("MF703", "cut", answers("/memoryfield.zip", with_body(lambda body: body[:-30])),
         "memoryfield.zip", "it breaks MF601"),
    Case("MF704", "an array", always(["heat.md"]), "search?q=CARBON-WOKS", "an array, not an"),
    Case("MF704", "no results", always({"hits": []}), "search?q=CARBON-WOKS", "`results` is mis"),
    Case("MF704", "not JSON", searches(lambda query: html("Results")), "search?q=CARBON-WOKS",
         "no valid JSON"),
    Case("MF704", "NaN", always({"results": [result(score=float("nan"))]}),
         "search?q=CARBON-WOKS", "NaN is no JSON"),
    Case("MF704", "a number beyond all",
         searches(lambda query: Reply(200, {}, json.dumps(
             {"results": [result(score=0)]}).replace('"score": 0', '"score": 1e999').encode())),
         "search?q=CARBON-WOKS", "`score`"),
    Case("MF704", "not found as 404",
         searches(lambda query: Reply(404, {}, b"") if "zqx" in query else None),
         "search?q=zqxjkvb%20wzqpf", "404"),
    Case("MF704", "an error for a quote",
         searches(lambda query: Reply(500, {}, b"") if '"' in query else None),
         "search?q=%22", "500"),
    Case("MF704", "a page that is none", always({"results": [result(filename="gone.md")]}),
         "search?q=CARBON-WOKS", "`gone.md`, which is no page"),
    Case("MF704", "no frontmatter", always({"results": [{"filename": "plain.md"}]}),
         "search?q=CARBON-WOKS", "has no `frontmatter`"),
    Case("MF704", "frontmatter as text", always({"results": [result(frontmatter="title: x")]}),
         "search?q=CARBON-WOKS", "is a text, not an object"),
    Case("MF704", "null in the place of fields", always({"results": [result(filename="heat.md")]}),
         "search?q=CARBON-WOKS", "is null, though `heat.md` has one"),
    Case("MF704", "rising scores", always({"results": [result(score=1), result(score=2)]}),
         "search?q=CARBON-WOKS", "higher `score`"),
    Case("MF704", "two ways at once", always({"results": [1, {"frontmatter": None}]}),
         "search?q=CARBON-WOKS", "", 2),
    Case("MF705", "finds nothing", always({"results": []}), "search?q=CARBON-WOKS",
         "does not find `carbon-woks.md`", 6),
    Case("MF705", "sees no difference in case",
         searches(lambda query: as_json({"results": []}) if query != query.lower() else None),
         "search?q=CARBON-WOKS", "does not find", 6),
    Case("MF705", "looks at no summary",
         searches(lambda query: as_json({"results": []}) if "STEEL" in query else None),
         "search?q=STEEL%20IS%20SEASONED", "does not find `carbon-woks.md`"),
    Case("MF705", "folds only ASCII",
         searches(lambda query: as_json({"results": []}) if not query.isascii() else None),
         "search?q=%C3%B6FEN%20UND%20hITZE", "does not find `heat.md`"),
    Case("MF705", "no model, no answer", searches(lambda query: Reply(503, {}, b"")),
         "search?q=CARBON-WOKS", "503", 6),
    Case("MF706", "any path", gives("etc/passwd", b"root:x:0:0:root:/root:/bin/sh\n"), "",
         "gives a file of the server's system", -1),
    Case("MF706", "a path of Windows", gives("win.ini", b"; for 16-bit app support\n"), "",
         "gives a file of the server's system", -1),
    Case("MF706", "something else", gives("etc/passwd", b"ada\nbob\n"), "", "gives 8 bytes", -1),
    Case("MF706", "an error of its own",
         lambda server: server.change("*", lambda request, reply: (
             Reply(500, {}, b"trace") if "\x00" in decoded(request) else reply)),
         "", "500 Internal Server Error, not 400", -1),
    Case("MF707", "a bearer", answers("*", lambda reply: Reply(
         401, {"WWW-Authenticate": 'Bearer realm="a, basic"'}, b"")), "./", "offers no Basic"),
    Case("MF707", "no word on how", answers("*", with_status(401)), "./", "without"),
    Case("MF707", "a login page", answers("*", lambda reply: html(LOGIN)), "./", "to log in"),
    Case("MF707", "a redirect", lambda server: server.change("*", to_login), "./", "redirected"),
    Case("MF708", "no tags", answers("*", untagged), "carbon-woks.md", "there is no `ETag`"),
    Case("MF708", "weak tags", answers("*", weak), "carbon-woks.md", "`W/"),
    Case("MF708", "a tag of another kind", answers("/heat.md", with_header("ETag", '"5f3-18c"')),
         "heat.md", '`"5f3-18c"`'),
    Case("MF708", "no ranges", lambda server: server.change("*", without_range),
         "carbon-woks.md", "416"),
    Case("MF708", "other bytes", lambda server: server.change("*", cut_range),
         "carbon-woks.md", "other bytes come"),
    Case("MF708", "parts of what changed", lambda server: server.change("*", whole_if_range),
         "carbon-woks.md", "another tag in `If-Range`"),
    Case("MF708", "no conditions", lambda server: server.change("*", without_condition),
         "carbon-woks.md", "412"),
    Case("MF708", "never anything new", lambda server: server.change("*", never_new),
         "carbon-woks.md", "304 Not Modified, not 200"),
)  # fmt: skip
