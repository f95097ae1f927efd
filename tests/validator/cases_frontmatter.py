"""What obeys and breaks MF301 to MF303: the block as a whole."""

from __future__ import annotations

from tests.validator.cases import Case, Found, error, info, one, warning
from tests.validator.fields import BODY, page

_NO_BLOCK = warning("MF204", 1, 1, says="there is no frontmatter block")
_MENDED_BY_A_BLOCK = _NO_BLOCK._replace(fixable=True)
_RULE = warning("MF302", 1, 1, says="begins with a `---` that is a Markdown rule")
_INDENTED = _NO_BLOCK._replace(hint="make the `---` in line 1 the very beginning of the page")
_ANYTHING = "write each field on a line of its own"
_OTHER_LINES = "created: '2026-03-01T09:00:00Z'\n"


def _missing(*names: str) -> tuple[Found, ...]:
    return tuple(
        warning("MF303", 1, 1, says=f"there is no `{name}`", fixable=True) for name in names
    )


_ALL = _missing("title", "uuid", "created", "updated")


def _unreadable(
    line: int, column: int, says: str = "", hint: str | None = None, *, fixable: bool = False
) -> Found:
    parts = (
        ("the frontmatter cannot be read", says) if says else ("the frontmatter cannot be read",)
    )
    return error("MF301", line, column, says=parts, hint=hint, fixable=fixable)


def _value(
    source: str, line: int, column: int, hint: str, says: str = "", *, fixable: bool = False
) -> Case:
    """A title with some source, in line 2."""
    found = _unreadable(line, column, says, hint, fixable=fixable)
    return one("MF301", f"title: {source}", page(title=source), found)


def _unquoted(source: str, line: int, column: int, hint: str, says: str = "") -> Case:
    """A title that needs quotes, and nothing else."""
    return _value(source, line, column, hint, says, fixable=True)


def _obeys(what: str, text: str, *found: Found) -> Case:
    return one("MF301", what, text, *found)


def _breaks(
    what: str,
    text: str,
    line: int,
    column: int,
    says: str = "",
    hint: str | None = None,
    *,
    fixable: bool = False,
) -> Case:
    return one("MF301", what, text, _unreadable(line, column, says, hint, fixable=fixable))


CLOSED = (
    _obeys("a clean page", page()),
    _obeys("CRLF", page().replace("\n", "\r\n")),
    _obeys("blanks after the delimiters", page().replace("---\n", "--- \t\n")),
    _obeys("closed by dots", page().replace("---\nSteel", "...\nSteel")),
    _obeys("a later block is body", page(f"---\ny: [\n---\n{BODY}")),
    _obeys("quoted colons", page(title="'Woks: a study'")),
    _obeys(
        "folded over lines",
        page(title="Carbon\n  fibre\n  woks", more="summary: >-\n  One\n  line.\n"),
    ),
    _obeys("comments and blank lines", "---\n\n# a: [\n---\n" + BODY, *_ALL),
    _obeys("nothing but comments", "---\n# a\n...\n" + BODY, *_ALL),
    _obeys("NEL, LS and PS", page(more="x: a\u2028  b\ny: c\u0085z: 'd'\n")),
    _obeys("delimiters within a line", page(more="x: a --- b\ny: |\n  ---\n  ...\n")),
    _obeys(
        "a key that is nothing of ours", page(more="my key: {a: [1, 2.5, ~, true, 2026-01-01]}\n")
    ),
    _breaks("never closed", f"---\ntitle: Steel\n\n{BODY}", 1, 1, "never closed"),
    _breaks("never closed, and but a key", "---\nvia:", 1, 1, "never closed"),
    _breaks(
        "never closed, comments first",
        f"---\n\n# a\n  # b\ntitle : x\n{BODY}",
        1,
        1,
        "never closed",
    ),
    _breaks(
        "the closing line is indented",
        page().replace("---\nSteel", " ---\nSteel"),
        1,
        1,
        "never closed",
    ),
    _breaks(
        "the closing line has more",
        page().replace("---\nSteel", "--- #\nSteel"),
        1,
        1,
        "never closed",
    ),
    _breaks(
        "CR within the block", page(more="x: a\ry: b\n"), 6, 5, "carriage return", "LF or CRLF"
    ),
    _breaks("CR before CRLF", page(more="x: a\r\r\n"), 6, 5, "carriage return", "LF or CRLF"),
    _breaks("a merge key over text", page(more="<<: a\n"), 6, 5, "merge key", _ANYTHING),
    _breaks(
        "a merge key over a list with text",
        page(more="b: &b {x: 1}\n<<: [*b, c]\n"),
        7,
        10,
        "merge key",
        _ANYTHING,
    ),
    _breaks(
        "a value that does not fit its tag",
        page(more="x: !!int y\n"),
        6,
        4,
        "!!int",
        "`!` begins a tag",
    ),
    one(
        "MF301",
        "a control character",
        page(more="x: \x01\n"),
        _unreadable(6, 4, "U+0001", _ANYTHING),
        warning("MF208", 6, 4, says="U+0001"),
    ),
    _breaks("a tab as indentation", page(more="x:\n\ty: z\n"), 7, 1, hint="indent with blanks"),
    _breaks("a quote left open", page(more="x: 'a\ny: b\n"), 6, 4, "", "`x` begins with a quote"),
    _breaks("in CRLF", page(more="x: @a\n").replace("\n", "\r\n"), 6, 4, "", "`@`", fixable=True),
    one(
        "MF301",
        "after a byte-order mark",
        "\ufeff" + page(title="a: b"),
        _unreadable(2, 9, hint="it holds `: `", fixable=True),
        warning("MF207", 1, 1, says="byte-order mark", fixable=True),
    ),
)

CAUSES = (
    _unquoted(
        "Foo: bar", 2, 11, "quote the value of `title`: it holds `: `", "within an unquoted value"
    ),
    _unquoted("Foo bar:", 2, 15, "quote the value of `title`: it holds `: `"),
    _unquoted("@home", 2, 8, "quote the value of `title`: a plain value cannot begin with `@`"),
    _unquoted("`code`", 2, 8, "a plain value cannot begin with a backtick"),
    _unquoted("%d heads", 2, 8, "a plain value cannot begin with `%`"),
    _unquoted("*x", 2, 8, "`*` begins an alias", "the alias *x names no anchor"),
    _unquoted("[WIP] x", 2, 14, "`[` begins a list"),
    _unquoted("{a} b", 2, 12, "`{` begins a mapping"),
    _value("{{ title }} x", 2, 20, "fill in the template's placeholder"),
    _value("{% title %}", 2, 9, "fill in the template's placeholder"),
    _value("'it's'", 2, 12, "double the quotes within"),
    _value("'a' b", 2, 12, "double the quotes within"),
    _unquoted("| x", 2, 10, "`|` begins a block of lines"),
    _unquoted("> x", 2, 10, "`>` begins a folded block"),
    _value("!x!y z", 2, 8, "`!` begins a tag"),
    _unquoted("& x", 2, 9, "`&` begins an anchor"),
)


def _absent(what: str, text: str) -> Case:
    return one("MF302", what, text, _RULE, _NO_BLOCK)


RULES = (
    one("MF302", "frontmatter", page()),
    one("MF302", "another rule", f"***\n\n{BODY}", _MENDED_BY_A_BLOCK),
    one("MF302", "a longer rule", f"----\n\n{BODY}", _NO_BLOCK),
    one("MF302", "a rule that is indented", f" ---\n\n{BODY}", _INDENTED),
    one("MF302", "CR alone is no line end", f"---\r{BODY}", _NO_BLOCK),
    _absent("prose between two rules", f"---\n\nSome prose here.\n\n---\n{BODY}"),
    _absent("a sequence between two rules", f"---\n- a\n- b\n---\n{BODY}"),
    _absent("never closed, and no key", f"---\n{BODY.replace('Source:', 'See')}"),
    _absent("never closed, and a key further down", f"---\nProse.\nkey: value\n\n{BODY}"),
    _absent("never closed, and a key that is indented", f"---\n key: value\n\n{BODY}"),
    _absent("never closed, and a URL", "---\nhttps://example.com/\n"),
    _absent("never closed, and a key with an umlaut", f"---\nüber: x\n{BODY}"),
    _absent("CRLF", f"---\r\n\r\nSome prose here.\r\n\r\n---\r\n{BODY}"),
    one(
        "MF302", "the only line of the file", "---", _RULE, _NO_BLOCK, info("MF205", says="no URL")
    ),
)

WANTED = (
    one("MF303", "all", page()),
    one(
        "MF303",
        "values that are empty are not missing",
        page(title="''", more="summary: ''\n"),
        error("MF305", 2, 8, says="`title` is blank", hint="write a title"),
    ),
    one(
        "MF303",
        "the keys are quoted",
        page().replace("title:", "'title':").replace("uuid:", '"\\x75uid":'),
    ),
    one("MF303", "the fields are merged", page(title=None, more="x: &x {title: Steel}\n<<: *x\n")),
    one("MF303", "summary is not expected", page(more="")),
    one("MF303", "no title", page(title=None), *_missing("title")),
    one("MF303", "none of them", "---\nTitle: Steel\n---\n" + BODY, *_ALL),
    one(
        "MF303",
        "in a deeper mapping",
        f"---\nmeta:\n  title: Steel\n{_OTHER_LINES}---\n{BODY}",
        *_missing("title", "uuid", "updated"),
    ),
)

CASES = (*CLOSED, *CAUSES, *RULES, *WANTED)
