"""What obeys and breaks MF207, MF208 and MF211: characters and lines that do not belong there."""

from __future__ import annotations

from tests.validator.cases import Found, error, info, one, warning
from tests.validator.fields import BODY, page

_BOM = b"\xef\xbb\xbf"
_NO_BLOCK = warning("MF204", 1, 1, says="there is no frontmatter block")
_MENDED_BY_A_BLOCK = _NO_BLOCK._replace(fixable=True)
_NO_SOURCE = info("MF205", says=("no URL", "`Sources:`"))
_EMPTY = warning("MF206", says="the body is empty")
_MARKED = warning("MF207", 1, 1, says=("byte-order mark", "EF BB BF"), fixable=True)

MARKS = (
    one("MF207", "none", page()),
    one("MF207", "within the text", page("\ufeff" + BODY)),
    one(
        "MF207",
        "before the block, which is read",
        _BOM + page(title="no").encode(),
        _MARKED,
        error("MF305", 2, 8, says="`no`", hint="'no'", fixable=True),
    ),
    one("MF207", "before text", _BOM + BODY.encode(), _MARKED, _MENDED_BY_A_BLOCK),
    one("MF207", "a second one hides the block", _BOM + _BOM + page().encode(), _MARKED, _NO_BLOCK),
    one("MF207", "nothing else", _BOM, _MARKED, _NO_BLOCK, _NO_SOURCE, _EMPTY),
)

CONTROLS = (
    one("MF208", "tab, CR, DEL and C1", page("a\tb\r c\x7f\x80\x85\x9f\n" + BODY)),
    one(
        "MF208",
        "NUL",
        page("ab\x00c\n" + BODY),
        warning("MF208", 7, 3, says="control character U+0000"),
    ),
    one(
        "MF208",
        "an escape sequence and more",
        page(BODY + "\x1b[31m\x07\x0c\n\x08"),
        warning("MF208", 10, 1, says="control character U+001B (and 3 more)"),
    ),
    one(
        "MF208", "before a block", "\x01" + page(), _NO_BLOCK, warning("MF208", 1, 1, says="U+0001")
    ),
)


def _marker(line: int, shown: str, more: int = 0) -> Found:
    rest = f" (and {more} more)" if more else ""
    return warning("MF211", line, 1, says=f"merge-conflict marker `{shown}`{rest}")


MARKERS = (
    one("MF211", "headings underlined", page(f"Steel\n=======\n\n=======\n{BODY}")),
    one(
        "MF211",
        "not at the start, or of another length",
        page(f" <<<<<<< a\n<<<<<<<< a\n<<<<<< a\n<<<<<<<a\n>>>>>>>\ta\n{BODY}"),
    ),
    one(
        "MF211",
        "a conflict",
        page(f"<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n{BODY}"),
        _marker(7, "<<<<<<<", 1),
    ),
    one(
        "MF211",
        "an ancestor, in code",
        page(f"{BODY}```\n||||||| base\n```\n"),
        _marker(11, "|||||||"),
    ),
    one(
        "MF211",
        "CRLF and end of file",
        page(f"{BODY}>>>>>>>\n<<<<<<<").replace("\n", "\r\n"),
        _marker(10, ">>>>>>>", 1),
    ),
    one(
        "MF211",
        "in the frontmatter",
        page(more="<<<<<<< ours\n"),
        _marker(6, "<<<<<<<"),
        error("MF301", 6, 1, says="cannot be read", hint="resolve the merge conflict"),
    ),
)

CASES = (*MARKS, *CONTROLS, *MARKERS)
