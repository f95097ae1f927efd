"""Pages for people: rendered, and with nothing in them that runs or asks elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.agents.served import Server, folder, page, serving

from memoryfield_agents.serving.markdown import MOST_RENDERED, may_be_linked, rendered
from memoryfield_agents.serving.negotiation import wants_html

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
VOID = {"br", "hr", "img", "input", "link", "meta"}
ALLOWED = {
    "a": {"href", "title", "rel"}, "img": {"src", "alt", "title", "loading"}, "ol": {"start"},
    "th": {"class"}, "td": {"class"}, **{f"h{level}": {"id"} for level in range(1, 7)},
    **{
        tag: set() for tag in (
            "p", "ul", "li", "blockquote", "pre", "code", "em",
            "strong", "del", "hr", "br", "table", "thead", "tbody", "tr",
        )
    },
}  # fmt: skip
FRAME = {
    "html": {"lang"}, "head": set(), "meta": {"charset", "name", "content"}, "title": set(),
    "link": {"rel", "href", "type"}, "body": set(), "a": {"class"}, "header": set(),
    "nav": {"aria-label"}, "p": {"class", "role"}, "form": {"role", "action", "method"},
    "label": {"for"}, "input": {"type", "id", "name", "maxlength", "value"}, "button": {"type"},
    "main": {"id", "tabindex"}, "footer": set(), "ul": {"class"}, "ol": {"class"},
    "article": {"dir", "lang"}, "details": set(), "summary": set(), "th": {"scope"},
}  # fmt: skip


class Checked(HTMLParser):
    """Checks what a browser would see against a list of all that may stand there."""

    def __init__(self, *, whole: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.allowed = {tag: set(names) for tag, names in ALLOWED.items()}
        if whole:
            for tag, names in FRAME.items():
                self.allowed.setdefault(tag, set()).update(names)
        self.open: list[str] = []
        self.text = ""
        self.links: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in self.allowed, tag
        for name, value in attrs:
            assert name in self.allowed[tag], (tag, name)
            assert value is not None
            if name == "id":
                assert value not in self.ids
                assert tag[0] != "h" or ":" not in value
                self.ids.append(value)
            if name in ("href", "src", "action"):
                self.links.append(value)
                stripped = re.sub(r"[\x00-\x20]", "", value).lower()
                scheme = urlsplit(stripped).scheme
                assert scheme in ("", "http", "https", "mailto"), value
                if tag != "a":
                    assert not scheme
                    assert not stripped.startswith("//")
        if tag == "a":
            assert "a" not in self.open
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_pi(self, data: str) -> None:
        raise AssertionError(data)

    def handle_decl(self, decl: str) -> None:
        assert decl == "DOCTYPE html"


def checked(html: str, *, whole: bool = False) -> Checked:
    parser = Checked(whole=whole)
    parser.feed(html)
    parser.close()
    assert parser.open == []
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", html)
    return parser


HOSTILE = {
    "script": "<script>alert(1)</script>\n\nx <script src=//evil.example></script> y",
    "handler": '<img src=x onerror=alert(1)> <b onclick="alert(1)">b</b> <svg/onload=alert(1)>',
    "block": (
        "<div>\n<iframe src='javascript:alert(1)'></iframe>\n</div>\n\n"
        "<!-- c --> <?php x ?> <![CDATA[x]]>"
    ),
    "style": "<style>@import url(//evil.example)</style> <link rel=stylesheet href=//evil.example>",
    "meta": '<meta http-equiv=refresh content="0;url=//evil.example"> <base href=//evil.example>',
    "form": "<form action=//evil.example><input autofocus onfocus=alert(1)></form>",
    "javascript": "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](<java\tscript:alert(1)>)",
    "entities": (
        "[a](&#106;avascript:alert(1)) [b](javascript&colon;alert(1)) "
        "[c](&#x6A;ava&Tab;script:x)"
    ),
    "blank": (
        "[a]( javascript:alert(1) ) [b](<\x01javascript:alert(1)>) "
        "[c](java%0ascript:alert(1))"
    ),
    "reference": "[a][r] [r]\n\n[r]: javascript:alert(1) 'title'",
    "autolink": "<javascript:alert(1)> <data:text/html,x> <vbscript:x> <https://ok.example/>",
    "data": (
        "[a](data:text/html;base64,PHNjcmlwdD4=) ![b](data:image/png;base64,AAAA) "
        "![c](data:image/svg+xml,x)"
    ),
    "others": (
        "[a](vbscript:x) [b](file:///etc/passwd) [c](blob:x) [d](view-source:x) "
        "[e](memoryfield:x)"
    ),
    "host": (
        r"[a](//evil.example) [b](\\evil.example) [c](/\evil.example) "
        "[d](https:evil) [e](http:///x)"
    ),
    "quotes": (
        '[a](x"onmouseover=alert(1)) [b](x "t\\"onclick=alert(1)") '
        '![c" onerror=alert(1)](x.png)'
    ),
    "image": (
        "![a](https://evil.example/track.png) ![b](pic.png) "
        "[![c](https://evil.example/x)](y.md)"
    ),
    "nested": "[a [b](x) c](y) [![d [e](f)](g)](h)",
    "fence": "```js onload=alert(1) \"><script>\n</code></pre><script>alert(1)</script>\n```",
    "table": '|a|b|\n|:-|-:|\n|<script>|[x](javascript:a)|\n|`|`|"|',
    "bidi": "user\u202etxt.exe \u2066x\u2069 [a\u202e](b) `\u202e` \u200f",
    "nul": "a\x00b \x1b[31m <scr\x00ipt>alert(1)</scr\x00ipt> [a](java\x00script:x)",
    "unclosed": "<img src=x onerror=alert(1) <a href='",
    "heading": "# <script>\n\n<script>\n===\n\n###### [x](javascript:x)",
    "list": "99999999999999999999. x\n\n007. y\n\n- [ ] <input> z",
    "entity": "&lt;script&gt; &#60;script&#62; &amp;lt; &quot; &#0; &#xD800; &#x110000;",
    "mail": "[a](mailto:a@example.org) [b](mailto:) <a@example.org>",
    "surrogate": "\ud800 [a](\udfff)",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_markdown(name: str) -> None:
    """Each becomes text, or a harmless element; no text is lost where markup was meant."""
    found = checked(rendered(HOSTILE[name], {"pic.png"}))
    if "<script>" in HOSTILE[name] and "\x00" not in HOSTILE[name]:
        assert "<script>" in found.text
    for link in found.links:
        assert not re.match(r"[/\\]{2}", link)
        if "evil" in urlsplit(link).netloc:
            assert link.startswith("https://evil.example/")


def test_pictures_are_those_of_the_field() -> None:
    """Others are links: showing a page asks nobody else for anything."""
    html = rendered(HOSTILE["image"], {"pic.png"})
    assert html.count("<img") == 1
    assert '<img src="pic.png" alt="b" loading="lazy">' in html
    assert (
        '<a href="https://evil.example/track.png" rel="noopener noreferrer nofollow">a</a>' in html
    )
    assert '<a href="y.md">c</a>' in html


def test_markdown_is_rendered() -> None:
    """What it is for."""
    html = rendered(
        "# T\n\na *b* **c** ~~d~~ `e`\n\n3. x\n   - y\n\n> q\n\n"
        "|a|b|\n|-|-:|\n|1|2|\n\n---\n\n    code\n"
    )
    for part in (
        '<h1 id="t">T</h1>', "<em>b</em>", "<strong>c</strong>", "<del>d</del>", "<code>e</code>",
        '<ol start="3">', "<li>y</li>", "<blockquote>", '<td class="right">2</td>', "<hr>",
        "<pre><code>code\n</code></pre>",
    ):  # fmt: skip
        assert part in html
    checked(html)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("# A `b` *c*, d!\n\n## Two_2 - x", ["a-b-c-d", "two_2---x"]),
        ("# a\n# a\n# a-1\n# a\n# a", ["a", "a-1", "a-1-1", "a-2", "a-3"]),
        ('# layout:text\n# "><b id=x>\n# \u202e', ["layouttext", "b-idx"]),
        ("# !\n#\n# हिन्दी Ä", ["हिन्दी-ä"]),
        ("# " + "x" * 500, ["x" * 100]),
    ],
    ids=["words", "same", "hostile", "letters", "long"],
)
def test_headings_can_be_linked_to(text: str, ids: list[str]) -> None:
    """By what other programs make of their words; never by an id of the frame."""
    assert checked(rendered(text)).ids == ids


SIZE = 10_000
LARGE = {
    "brackets": "[" * SIZE, "pictures": "![" * (SIZE // 2), "closed": "[" * 4000 + "]" * 4000,
    "quotes": "> " * 5000 + "x", "deep": "\n".join(">" * 60 + " a" for _ in range(200)),
    "lists": "- " * 5000 + "x", "indented": "\n".join(" " * (2 * i) + "- a" for i in range(300)),
    "stars": "*a_" * 4000, "ticks": "".join("`" * i + "a" for i in range(1, 300)),
    "line": "word " * 20_000, "cells": "|a|b|\n|-|-|\n" + "|c" * 20_000,
    "columns": "|".join("a" * 300) + "\n" + "|".join("-" * 300) + "\n" + "a|\n" * 2000,
    "dashes": "a|b\n" + "-" * 100_000 + "x\nc\n",
    "angles": "<" * SIZE, "ampersands": "&" * SIZE, "links": "[a](" * 4000,
}  # fmt: skip


@pytest.mark.parametrize("name", LARGE)
def test_intricate_pages_end(name: str) -> None:
    """Rendered or as they stand: work grows no faster than the page."""
    checked(rendered(LARGE[name]))


@pytest.mark.parametrize(
    "text", ["[" * 1024 * 1024, "a" * (MOST_RENDERED + 1)], ids=["mib", "long"]
)
def test_long_pages_are_shown_as_they_stand(text: str) -> None:
    """Nothing of them is looked into."""
    html = rendered(text)
    assert html.startswith("<pre>")
    assert checked(html).text.strip() == text


PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "[", "](", ")", "!", "<", ">", '"', "'", "`", "*", "_", "~~", "\n", "\n\n",
                "    ", "- ",
                "> ", "|", "|-|", "#", "&", ";", "&#106;", "javascript:", "data:text/html,",
                "<script>",
                "onerror=", "//", "\\", "\x00", "\u202e", "[a]: ", "```", "1. ", "---",
                "http://a", "x.png",
            ]
        ),
        st.text(max_size=6),
    ),
    max_size=40,
)  # fmt: skip


@given(PIECES)
@settings(max_examples=120, suppress_health_check=list(HealthCheck), deadline=None)
def test_no_markdown_gives_anything_active(pieces: list[str]) -> None:
    """Whatever stands in a page, only elements and attributes of the list come out, well nested."""
    checked(rendered("".join(pieces), {"x.png"}))


@given(st.text(max_size=40))
@settings(max_examples=200, deadline=None)
def test_no_other_scheme_may_be_linked(url: str) -> None:
    """What a browser could take for a scheme is one of three."""
    if may_be_linked(url):
        found = re.match(r"[a-z][a-z0-9+.-]*:", url.strip(), re.IGNORECASE)
        assert found is None or found[0].lower() in ("http:", "https:", "mailto:")


@pytest.mark.parametrize(
    ("accept", "html"),
    [
        (None, False), ("", False), ("*/*", False), ("text/*", False), (BROWSER, True),
        ("text/html", True), ("text/markdown, text/html", False),
        ("text/html, text/markdown;q=0.9", True),
        ("text/html;q=0.5, */*", False), ("text/html;q=0", False), ("text/html;q=nan", False),
        ("TEXT/HTML; level=1", True), ("application/json, text/html;q=0.1, */*;q=0.5", False),
        ("text/html;q=2", False), (",,;;,=", False),
    ],
)  # fmt: skip
def test_who_gets_html(accept: str | None, html: bool) -> None:
    """Those who ask for it by its name, and not less than for Markdown."""
    assert wants_html(accept) == html


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    title = "'<script>alert(1)</script> \\u202e'"
    hostile = page(
        title, "\n\n".join(HOSTILE.values()).encode("utf-8", "replace").decode(), "<b>s</b>"
    )
    files: dict[str, bytes | str] = {
        "index.md": page("Notes", "See [woks](woks.md)."), "hostile.md": hostile,
        "woks.md": "plain",
        "broken.md": "---\na: [\n---\nx <script>",
        "bytes.md": b"---\ntitle: \xff\n---\n<script>\xfe\x00",
        "<script>.md": "name", "large.md": "[" * (1024 * 1024), "pic.png": b"PNG",
        "values.md": "---\ntags: [a, '<i>']\nx: {y: <u>}\nn: 1.5\nempty:\n---\ntext",
    }  # fmt: skip
    with serving(folder(tmp_path_factory.mktemp("pages") / "<notes>", files)) as found:
        yield found


@pytest.mark.parametrize(
    "path",
    [
        "/", "/hostile.md", "/woks.md", "/broken.md", "/bytes.md", "/%3Cscript%3E.md", "/large.md",
        "/values.md", "/search", "/search?q=%3Cscript%3E%22%27", "/search?q=s&k=3",
        "/search?q=%00%ff",
    ],
)  # fmt: skip
def test_whole_pages(server: Server, path: str) -> None:
    """For a browser, under a policy that lets nothing run."""
    got = server.get(path, Accept=BROWSER)
    assert (got.status, got.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert got.headers["content-security-policy"].startswith(
        "default-src 'none'; style-src 'self';"
    )
    assert "script" not in got.headers["content-security-policy"]
    assert got.headers["vary"] == "Accept"
    for name in ("referrer-policy", "cross-origin-opener-policy", "cross-origin-resource-policy"):
        assert name in got.headers
    found = checked(got.body.decode(), whole=True)
    assert "Skip to the text" in found.text
    assert "Unverified text of the field" in found.text
    assert server.shelf is not None
    assert server.shelf.get().pin in found.text


def test_every_link_of_a_page_leads_somewhere(server: Server) -> None:
    """The style, the icon, the archive and the pages."""
    links = checked(server.get("/", Accept=BROWSER).body.decode(), whole=True).links
    assert len(links) > 10
    for link in links:
        if not link.startswith("#"):
            assert server.get("/" + link.removeprefix("./"), Accept=BROWSER).status == 200


def test_a_name_that_is_not_there(server: Server) -> None:
    """For people a page with a search box, which does not repeat what was asked for."""
    got = server.get("/%3Cb%3Enone.md", Accept=BROWSER)
    assert got.status == 404
    found = checked(got.body.decode(), whole=True)
    assert ("none" in found.text, "./search" in found.links) == (False, True)
    assert server.get("/none.md").headers["content-type"].startswith("text/plain")
    assert server.get("/%252e%252e%252fnone.md", Accept=BROWSER).status == 400


def test_the_bytes_are_one_click_away(server: Server) -> None:
    """For a browser, too."""
    assert server.get("/woks.md?raw=1", Accept=BROWSER).body == b"plain"


def test_a_page_for_people_can_be_kept(server: Server) -> None:
    """It has a tag of its own, which is that of its bytes."""
    first = server.get("/woks.md", Accept=BROWSER)
    tag = first.headers["etag"]
    assert tag != server.get("/woks.md").headers["etag"]
    again = server.get("/woks.md", Accept=BROWSER, If_None_Match=tag)
    assert again.status == 304
    policy = "content-security-policy"
    assert again.headers[policy] == first.headers[policy]  # or it has no style the second time
    assert server.get("/woks.md", If_None_Match=tag).status == 200


def test_several_fields_have_a_list(tmp_path: Path) -> None:
    """Each stands below its name; a path without a field leads nowhere."""
    one = folder(tmp_path / "one", {"a.md": page("A"), "index.md": page("I")})
    two = folder(tmp_path / "two", {"a.md": page("Other")})
    with serving(one, f"second={two}") as server:
        assert server.get("/one/a.md").body == page("A").encode()
        assert server.get("/second/a.md").body == page("Other").encode()
        assert server.get("/second/").status == 404
        assert server.get("/one/").body == page("I").encode()
        moved = server.get("/one")
        assert (moved.status, moved.headers["location"]) == (308, "/one/")
        paths = "/a.md", "/two/a.md", "/one/../second/a.md", "/one//a.md", "/search?q=a", "/third/"
        for path in paths:
            assert server.get(path).status in (400, 404)
        assert server.get("/healthz").status == 200
        assert [each["name"] for each in _json(server.get("/").body)["fields"]] == ["one", "second"]
        html = server.get("/", Accept=BROWSER).body.decode()
        links = checked(html, whole=True).links
        assert {"./one/", "./second/", "./-/style.css"} <= set(links)
        html = server.get("/second/a.md", Accept=BROWSER).body.decode()
        assert "../" in checked(html, whole=True).links
        assert server.get("/second/-/style.css").status == 200


def _json(raw: bytes) -> dict[str, list[dict[str, str]]]:
    import json

    found: dict[str, list[dict[str, str]]] = json.loads(raw)
    return found
