"""What obeys and breaks MF401 and MF402: `index.md` and `listing.md`."""

from __future__ import annotations

from tests.validator.cases import Case, Found, folder, warning
from tests.validator.fields import Files, page, pages

_SEE = "\n\nhttps://example.com/\n"
INDEX = "index.md"
LISTING = "listing.md"


def _names(count: int, form: str = "{}") -> str:
    return "\n".join(form.format(name) for name in pages(count))


def _index(what: str, body: str, others: Files, *found: Found) -> Case:
    return folder("MF401", what, {INDEX: page(body + _SEE), **others}, *found)


def _catalogue(named: int, of: int, line: int, column: int) -> Found:
    says = f"names {named} of the field's {of} pages: a catalogue"
    return warning("MF401", line, column, says=says, file=INDEX)


def _dead(file: str, line: int, column: int, name: str) -> Found:
    return warning("MF209", line, column, says=f"there is no `{name}`", file=file)


_LISTING = {LISTING: page(_names(19) + _SEE, number=50)}

INDEXES = (
    _index("nine pages named, of nine", _names(9), pages(9)),
    _index("ten pages named, of more than twice as many", _names(10), pages(20)),
    _index("index.md does not count as named", _names(9) + "\nindex.md", pages(9)),
    _index("one page, ten times", "page-1.md " * 10, pages(9)),
    _index("in fenced code", f"```\n{_names(12)}\n```", pages(12)),
    _index("links in inline code, and no word", f"`{_names(12, '[x](./{})')}`", pages(12)),
    _index(
        "not as words",
        _names(12, "x{0} x/{0} x-{0} x_{0} .{0} \\{0} {0}x {0}-x {0}_ é{0}"),
        pages(12),
    ),
    _index("names that are not there", _names(12), {}),
    folder("MF401", "another page may", {"a.md": page(_names(12) + _SEE), **pages(12)}),
    _index("ten pages named, of twenty", _names(10), pages(19), _catalogue(10, 20, 7, 1)),
    _index("one more than half", _names(11), pages(19), _catalogue(11, 20, 7, 1)),
    _index("by links", "See\n" + _names(12, "[x](./{}#heat)"), pages(12), _catalogue(12, 13, 8, 5)),
    _index(
        "by definitions",
        "See\n\n" + _names(12, "[x]: x/../{}"),
        pages(12),
        _catalogue(12, 13, 9, 6),
    ),
    _index(
        "by words, in inline code, in any order",
        "Heat: (`page-3.md`), **page-1.md**.\n" + _names(12, '"{}",'),
        pages(12),
        _catalogue(12, 13, 7, 9),
    ),
    _index(
        "listing.md is one of them",
        _names(9) + "\nlisting.md",
        {**pages(9), LISTING: _LISTING[LISTING]},
        _catalogue(10, 11, 7, 1),
        *(
            warning(
                "MF402",
                n + 6,
                1,
                says=f"names `page-{n}.md`, which is not there",
                file=LISTING,
                fixable=True,
            )
            for n in range(10, 20)
        ),
    ),
    _index(
        "after a byte-order mark, in CRLF",
        "",
        {INDEX: "\ufeff" + page("é " + _names(12) + _SEE).replace("\n", "\r\n"), **pages(12)},
        _catalogue(12, 13, 7, 3),
        warning("MF207", 1, 1, says="byte-order", file=INDEX, fixable=True),
    ),
    _index(
        "names that are odd",
        _names(12, "[x](<{} (1).md>)"),
        {name.replace(".md", ".md (1).md"): text for name, text in pages(12).items()},
        _catalogue(12, 13, 7, 6),
        *(
            Found(
                "MF201",
                "error",
                f"page-{n}.md (1).md",
                None,
                None,
                ("it holds",),
                f"page-{n}-md-1.md",
                True,
            )
            for n in range(1, 13)
        ),
    ),
)


def _listing(what: str, body: str, others: Files, *found: Found) -> Case:
    return folder("MF402", what, {LISTING: page(body + _SEE), **others}, *found)


def _left_out(names: str) -> Found:
    return warning("MF402", says=f"does not name {names}", file=LISTING, fixable=True)


def _gone(line: int, column: int, name: str) -> Found:
    says = f"names `{name}`, which is not there"
    return warning("MF402", line, column, says=says, file=LISTING, fixable=True)


_TWO: Files = pages(2)

LISTINGS = (
    folder("MF402", "no listing.md", {"a.md": page("b.md c.md" + _SEE)}),
    _listing("itself and index.md may be left out", _names(2), {**_TWO, INDEX: page(number=9)}),
    _listing(
        "itself and index.md may be named",
        _names(2) + "\nindex.md listing.md",
        {**_TWO, INDEX: page(number=9)},
    ),
    _listing("by links", "[a](page-1.md) [b](<./page-2.md#x>)", _TWO),
    _listing("words in inline code", "`page-1.md` ``page-2.md``", _TWO),
    _listing("with the full stop of a sentence", "See page-1.md, and page-2.md.", _TWO),
    _listing(
        "what is no page name",
        _names(2) + "\nREADME.md a_b.md https://example.com/c.md /d.md",
        _TWO,
    ),
    _listing("names in comments", _names(2) + "\n<!-- c.md\n[c](d.md) -->", _TWO),
    _listing("names in URLs", _names(2) + "\nhttps://example.com/?x=c.md&d.md ssh://x:e.md", _TWO),
    _listing("a target is no word", "[a](./page-1.md?x=c.md) [b](<page-2.md#d.md>)", _TWO),
    _listing(
        "percent-encoded links",
        "[é](%C3%89.md) [a b](a%20b.md)",
        {"É.md": page(number=1), "a b.md": page(number=2)},
        Found("MF201", "error", "É.md", None, None, ("it holds",), "e.md", True),
        Found("MF201", "error", "a b.md", None, None, ("it holds",), "a-b.md", True),
    ),
    _listing("names in fenced code", _names(2) + "\n```\nc.md\n```", _TWO),
    _listing("attachments and their links", "[a](pan.png) " + _names(2), {**_TWO, "pan.png": ""}),
    _listing("one page is left out", "page-1.md", _TWO, _left_out("`page-2.md`")),
    _listing(
        "in fenced code alone", "page-1.md\n```\npage-2.md\n```", _TWO, _left_out("`page-2.md`")
    ),
    _listing(
        "five pages are left out",
        "x",
        pages(5),
        _left_out(", ".join(f"`page-{n}.md`" for n in range(1, 6))),
    ),
    _listing(
        "seven pages are left out",
        "x",
        pages(7),
        _left_out("`page-1.md`, `page-2.md`, `page-3.md`, `page-4.md`, `page-5.md` and 2 more"),
    ),
    _listing(
        "a word that is no page",
        _names(2) + "\nc.md d.md c.md",
        _TWO,
        _gone(9, 1, "c.md")._replace(fixable=False),
        _gone(9, 6, "d.md")._replace(fixable=False),
    ),
    _listing(
        "a link that is dead",
        _names(2) + "\n[c](c.md#x)",
        _TWO,
        _gone(9, 5, "c.md"),
        _dead(LISTING, 9, 5, "c.md"),
    ),
    _listing(
        "index.md, which is not there", _names(2) + "\nindex.md", _TWO, _gone(9, 1, "index.md")
    ),
    _listing(
        "odd names, by link",
        "[A](<A.md>) [é](./É.md#x)",
        {"A.md": page(number=1), "É.md": page(number=2)},
        Found("MF201", "error", "A.md", None, None, ("it holds",), "a.md", True),
        Found("MF201", "error", "É.md", None, None, ("it holds",), "e.md", True),
    ),
    _listing(
        "odd names, spelt out",
        "A.md É.md",
        {"A.md": page(number=1), "É.md": page(number=2)},
        _left_out("`A.md`, `É.md`"),
        Found("MF201", "error", "A.md", None, None, ("it holds",), "a.md", True),
        Found("MF201", "error", "É.md", None, None, ("it holds",), "e.md", True),
    ),
    _listing(
        "a page in a sub-directory",
        _names(2) + " x/c.md",
        {**_TWO, "x/c.md": ""},
        warning("MF102", says="stands in `x/`", file="x/c.md"),
        Found("MF103", "info", "x/", None, None, ("sub-directory",), None, False),
    ),
)

CASES = (*INDEXES, *LISTINGS)
