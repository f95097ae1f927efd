"""What obeys and breaks MF202 to MF206 by the content of pages."""

from __future__ import annotations

from tests.validator.cases import Case, Found, error, info, one, warning
from tests.validator.fields import BODY, page

_BOM = b"\xef\xbb\xbf"
_URL = "https://example.com/\n"
_NO_BLOCK = warning("MF204", 1, 1, says="there is no frontmatter block")
_MENDED_BY_A_BLOCK = _NO_BLOCK._replace(fixable=True)
_NO_SOURCE = info("MF205", says=("no URL", "`Sources:`"))
_EMPTY = warning("MF206", says="the body is empty")
_MARKED = warning("MF207", 1, 1, says=("byte-order mark", "EF BB BF"), fixable=True)
_MISSING = tuple(
    warning("MF303", 1, 1, says=f"there is no `{name}`", fixable=True)
    for name in ("title", "uuid", "created", "updated")
)


def _broken_at(offset: int, byte: str, line: int, column: int, hint: str | None = None) -> Found:
    says = f"not valid UTF-8 at byte {offset} (0x{byte})"
    return error("MF202", line, column, says=says, hint=hint)


def _raw(body: bytes) -> bytes:
    """A clean page with some bytes for a body; these begin in line 7."""
    return page(_URL).encode() + body


_HEAD = len(_raw(b""))


def _filled(size: int, last: str = "", first: str = "") -> bytes:
    """A clean page of some size, whose last line, the eighth, ends with some text."""
    text = (first + page(_URL)).encode()
    return text + b"x" * (size - len(text) - len(last.encode())) + last.encode()


def _over(size: int, column: int) -> Found:
    says = f"{size} bytes, {size - 8192} over the 8192"
    return warning("MF203", 8, column, says=says)


_COLUMN = 8192 - _HEAD + 1  # of byte 8192 where the last line is ASCII

ENCODING = (
    one("MF202", "every length of UTF-8", page("aé鍋🍳\U0010ffff\n" + _URL)),
    one("MF202", "Latin-1", _raw(b"caf\xe9 au lait\n"), _broken_at(_HEAD + 3, "E9", 8, 4)),
    one(
        "MF202",
        "columns are code points",
        _raw("é鍋🍳".encode() + b"\xff"),
        _broken_at(_HEAD + 9, "FF", 8, 4),
    ),
    one(
        "MF202",
        "the first of several",
        _raw(b"a\xff\n\xff\xfe\n"),
        _broken_at(_HEAD + 1, "FF", 8, 2),
    ),
    one("MF202", "a surrogate", _raw(b"\xed\xa0\x80"), _broken_at(_HEAD, "ED", 8, 1)),
    one("MF202", "overlong", _raw(b"\xc0\xaf"), _broken_at(_HEAD, "C0", 8, 1)),
    one("MF202", "beyond Unicode", _raw(b"\xf4\x90\x80\x80"), _broken_at(_HEAD, "F4", 8, 1)),
    one("MF202", "cut off at the end", _raw("鍋".encode()[:2]), _broken_at(_HEAD, "E9", 8, 1)),
    one(
        "MF202",
        "nothing is said of its frontmatter",
        b"---\ntitle: no\ntitle: [\n---\nhttps://x.example \xff",
        _broken_at(45, "FF", 5, 19),
    ),
    one(
        "MF202",
        "a byte-order mark has no column",
        _BOM + b"a\xff https://example.com/",
        _broken_at(4, "FF", 1, 2),
        _MARKED,
    ),
    one(
        "MF202",
        "UTF-16, little end first",
        "\ufeffa http://x.example".encode("utf-16-le"),
        _broken_at(0, "FF", 1, 1, hint="the page is UTF-16: save it as UTF-8"),
        _NO_SOURCE,
        warning("MF208", 1, 4, says="control character U+0000 (and 17 more)"),
    ),
    one(
        "MF202",
        "UTF-16, big end first",
        "\ufeffa".encode("utf-16-be"),
        _broken_at(0, "FE", 1, 1, hint="the page is UTF-16: save it as UTF-8"),
        _NO_SOURCE,
        warning("MF208", 1, 3, says="control character U+0000"),
    ),
)

SIZE = (
    one("MF203", "8192 bytes", _filled(8192)),
    one("MF203", "8192 bytes, the last a part of a character", _filled(8192, "鍋")),
    one("MF203", "8193 bytes", _filled(8193), _over(8193, _COLUMN)),
    one(
        "MF203",
        "what is no UTF-8 counts by bytes",
        _raw(b"\x80" * (8193 - _HEAD)),
        _broken_at(_HEAD, "80", 8, 1),
        _over(8193, _COLUMN),
    ),
    one("MF203", "the line end is over", _filled(8193, "\n"), _over(8193, _COLUMN)),
    *(
        one(
            "MF203",
            f"{inside} of the four bytes of a character are within",
            _filled(8196 - inside, "🍳"),
            _over(8196 - inside, _COLUMN - inside),
        )
        for inside in range(4)
    ),
    one(
        "MF203",
        "the line end is over, after a character of two",
        _filled(8193, "é\n"),
        _over(8193, _COLUMN - 1),
    ),
    one("MF203", "the line end is within", _filled(8193, "\nx"), _over(8193, 1)._replace(line=9)),
    one("MF203", "wide characters before", _filled(8193, "鍋x"), _over(8193, _COLUMN - 2)),
    one(
        "MF203",
        "a byte-order mark counts",
        _filled(8193, first="\ufeff"),
        _over(8193, _COLUMN - 3),
        _MARKED,
    ),
)


def _no_block(hint: str) -> Found:
    return _NO_BLOCK._replace(hint=hint)


def _begins(line: int) -> Found:
    return _no_block(f"make the `---` in line {line} the very beginning of the page")


BLOCK = (
    one("MF204", "a page with one", page()),
    one("MF204", "an empty one", "---\n---\n" + BODY, *_MISSING),
    one(
        "MF204",
        "a broken one",
        page(title="a: b"),
        error("MF301", 2, 9, says="cannot be read", hint="quote", fixable=True),
    ),
    one("MF204", "none", BODY, _MENDED_BY_A_BLOCK),
    one("MF204", "a blank before it", " " + page(), _begins(1)),
    one("MF204", "a line before it", "\n" + page(), _begins(2)),
    one("MF204", "lines before it", "\n \r\n" + page(), _begins(3)),
    one("MF204", "TOML", "+++\nx = 1\n+++\n" + BODY, _no_block("`+++` is not looked at")),
    one("MF204", "CR alone", page().replace("\n", "\r"), _no_block("a CR alone ends none")),
    one("MF204", "four hyphens", "-" + page(), _NO_BLOCK),
    one("MF204", "fields without a block", "Title: Steel\n" + BODY, _NO_BLOCK),
)


def _cited(what: str, body: str) -> Case:
    return one("MF205", what, page(body))


def _uncited(what: str, body: str) -> Case:
    return one("MF205", what, page(body), _NO_SOURCE)


SOURCES = (
    *(
        _cited(repr(text), f"Steel.\n\n{text}\n")
        for text in (
            "http://x",
            "see <HTTPS://example.com>",
            "[a](hTTp://[::1]/)",
            "svn+http://x.example",
            "Source: a book",
            "SOURCES:",
            "## Sources",
            "## Sources \t",
            "via: Ann",
            "Via",
            "> - **References**: a",
            "* _Citation:_ a",
            "| *Source* | : a".replace(" |", ""),
            "1. Source: a",
            "23) Source: a",
            "#### citations",
            "'Reference': a",
            "- - + via  : a",
        )
    ),
    _cited("CRLF", "Steel.\r\n\r\n## Sources\r\n\r\nA book.\r\n"),
    one("MF205", "in the frontmatter", page("Steel.\n", more="sources: [a book]\n")),
    one("MF205", "a URL in the frontmatter", page("Steel.\n", more="see: https://example.com\n")),
    *(
        _uncited(repr(text), f"Steel.\n\n{text}\n")
        for text in (
            "no source is named here: none",
            "We came via: Rome".replace("via:", "via "),
            "A via: b",
            "Sources of heat",
            "Resources: a",
            "Sourced: a",
            "viaduct: a",
            "x via",
            "http:// x",
            "https:///x",
            "ftp://example.com",
            "htt://x",
            "#Sources",
            "http://",
            "://x",
            "www.example.com",
        )
    ),
    _uncited("at the very end", "Steel.\n\nhttp://"),
)

EMPTY = (
    one("MF206", "one letter", page("x", more="via: Ann\n")),
    one("MF206", "0 bytes", b"", warning("MF206", says="0 bytes"), _NO_BLOCK, _NO_SOURCE),
    one("MF206", "no body", page("", more="via: Ann\n"), _EMPTY),
    one("MF206", "closed by the end of the file", page("", more="via: Ann\n").rstrip("\n"), _EMPTY),
    one("MF206", "white space", page(" \t\r\n\u00a0\u2003\n", more="via: Ann\n"), _EMPTY),
    one("MF206", "white space alone", "\n \n", _EMPTY, _NO_BLOCK, _NO_SOURCE),
)

CASES = (*ENCODING, *SIZE, *BLOCK, *SOURCES, *EMPTY)
