"""What obeys and breaks MF209: links within the field."""

from __future__ import annotations

from tests.validator.cases import Case, Found, folder, warning
from tests.validator.fields import Files, page
from tests.validator.index_files import COMMON, OTHER_TABLE

_SEE = "\nhttps://example.com/\n"
_FILES: Files = {
    "b.md": page(number=1),
    "pan (1).png": "",
    "a b.txt": "",
    "100%25.txt": "",
    "café.txt": "",
    COMMON: OTHER_TABLE,
    "[b].txt": "",
}


def _obeys(what: str, body: str, more: str = "") -> Case:
    return folder("MF209", what, {**_FILES, "a.md": page(body + _SEE, more=more)})


def _breaks(what: str, body: str, *found: Found, more: str = "") -> Case:
    return folder("MF209", what, {**_FILES, "a.md": page(body + _SEE, more=more)}, *found)


def _dead(line: int, column: int, name: str, hint: str | None = None) -> Found:
    return warning("MF209", line, column, says=f"there is no `{name}` in the field", hint=hint)


def _outside(line: int, column: int, target: str) -> Found:
    says = f"the link to `{target}` leads out of the field"
    return warning("MF209", line, column, says=says)


def _below(line: int, column: int, target: str) -> Found:
    says = f"the link to `{target}` leads into a sub-directory"
    return warning("MF209", line, column, says=says)


TARGETS = (
    _obeys("to files of the field", f"[b](b.md) ![p](<pan (1).png>) [i]({COMMON}) [a](a.md)"),
    _obeys("query and fragment", "[b](b.md#heat) [b](b.md?x=1) [b](b.md?x=1#y?z)"),
    _obeys(
        "percent-encoded",
        "[a](a%20b.txt) [p](pan%20%281%29.png) [c](caf%C3%A9.txt) [h](100%2525.txt)",
    ),
    _obeys(
        "dots", "[b](./b.md) [b](.//b.md) [b](x/../b.md) [r](.) [r](./) [r](x/..) [b](%2e/b.md)"
    ),
    _obeys(
        "not relative",
        "[a](/x.md) [a](//host/x.md) [a](#x) [a](?x.md) [a](mailto:x.md) [a](x:y.md) [a]() [a](<>)",
    ),
    _obeys("other schemes", "[a](HTTPS://example.com/x.md) [a](git+ssh://x/y.md) [a](C:/x.md)"),
    _obeys("titles", '[b](b.md "a title") [b](b.md \'a\') [b](b.md (a)) [b](b.md\n"a")'),
    _obeys(
        "parentheses and angle brackets",
        "[p](pan%20\\(1\\).png) [p](<pan (1).png> 'x') [b](<b.md>)",
    ),
    _obeys(
        "escapes and character references",
        "[b](b\\.md) [b](&#98;.md) [b](&#x62;.md) [b](b&period;md) [x](\\[b\\].txt)",
    ),
    _breaks("no such file", "See [c](c.md).", _dead(7, 9, "c.md")),
    _breaks("an image", "![c](c.png)", _dead(7, 6, "c.png")),
    _breaks("in angle brackets", "[c](<c d.md>)", _dead(7, 6, "c d.md")),
    _breaks("after a fragment is cut off", "[c](c.md#b.md)", _dead(7, 5, "c.md")),
    _breaks("the ending is missing", "[b](b#heat)", _dead(7, 5, "b", "did you mean `b.md`?")),
    _breaks(
        "capitals",
        "[b](B.md) [b](B)",
        _dead(7, 5, "B.md", "did you mean `b.md`?"),
        _dead(7, 15, "B", "did you mean `b.md`?"),
    ),
    _breaks(
        "each link is told",
        "[c](c.md)\n[d](d.md) [c](c.md)",
        _dead(7, 5, "c.md"),
        _dead(8, 5, "d.md"),
        _dead(8, 15, "c.md"),
    ),
    _breaks(
        "out of the field",
        "[c](../c.md) [c](x/../../a.md) [c](%2e%2e/b.md)",
        _outside(7, 5, "../c.md"),
        _outside(7, 18, "x/../../a.md"),
        _outside(7, 36, "%2e%2e/b.md"),
    ),
    _breaks(
        "into a sub-directory",
        "[c](x/c.md) [c](x%2Fc.md)",
        _below(7, 5, "x/c.md"),
        _below(7, 17, "x%2Fc.md"),
    ),
    _breaks(
        "decoded once, then compared",
        "[h](100%25.txt) [a](a+b.txt)",
        _dead(7, 5, "100%.txt"),
        _dead(7, 21, "a+b.txt"),
    ),
    _breaks("bytes decide", "[c](cafe\u0301.txt)", _dead(7, 5, "cafe\u0301.txt")),
    _breaks(
        "a character reference is one with a semicolon", "[c](c&copy.md)", _dead(7, 5, "c&copy.md")
    ),
    _breaks("an escaped ampersand begins none", "[c](c\\&amp;.md)", _dead(7, 5, "c&amp;.md")),
    _breaks(
        "after the frontmatter", "[c](c.md)", _dead(9, 5, "c.md"), more="see: '[x](x.md)'\nand: x\n"
    ),
    folder(
        "MF209",
        "to debris",
        {".x.md": "", "a.md": page(f"[x](.x.md){_SEE}")},
        _dead(7, 5, ".x.md"),
        warning("MF104", file=".x.md", says="debris")._replace(level="info"),
    ),
    folder(
        "MF209",
        "a page without frontmatter",
        {"a.md": f"[c](c.md){_SEE}"},
        _dead(1, 5, "c.md"),
        warning("MF204", 1, 1, says="no frontmatter", fixable=True),
    ),
)

SYNTAX = (
    _obeys(
        "fenced code",
        "```\n[c](c.md)\n```\n~~~ md\n[c](c.md)\n~~~\n"
        "> ```\n> [c](c.md)\n> ```\n- ```\n  [c](c.md)\n  ```",
    ),
    _obeys(
        "fences within fences",
        "````\n```\n[c](c.md)\n```\n[c](c.md)\n````\n~~~\n```\n[c](c.md)\n~~~",
    ),
    _obeys(
        "what looks like the end of a fence",
        "```\n[c](c.md)\n``` x\n[c](c.md)\n- ```\n> ```\n[c](c.md)\n```",
    ),
    _obeys("indented code", "Steel.\n\n    [c](c.md)\n\n\t[c](c.md)\n  \t[c](c.md)"),
    _obeys("comments", "<!-- [c](c.md)\n\n[c](c.md) --> <!---->\n"),
    _obeys(
        "titles that are not closed",
        "[c](c.md \"x)\n\n[c](c.md 'x)\n\n[c](c.md (x)\n\n[c](c.md 'x' y)",
    ),
    _obeys("a fence never closed", "```\n[c](c.md)\n\n[c](c.md)"),
    _obeys("inline code", "`[c](c.md)` ``[c](c`.md) ` [c](c.md)`` `a\n[c](c.md)`"),
    _obeys("escaped brackets", "\\[c](c.md) !\\[c](c.md) \\\\\\[c](c.md) [c\\](c.md)"),
    _obeys("no bracket that opens it", "c](c.md)\n\n[a\n\nb](c.md)"),
    _obeys(
        "no target", "[c](c d.md) [c](c.md [c] (c.md) [c](c(d.md) [c](c\\ d.md) [c](a.md\n\n'x')"
    ),
    _obeys("footnotes", 'Heat.[^1]\n\n[^1]: c.md\n[^note]: c.md "x"'),
    _obeys("other brackets", "- [ ] todo\n- [x] (c.md)\n\n[c][d] [c]: [c] : c.md\n"),
    _obeys(
        "definitions",
        "[b]: b.md\n[c]: <a b.txt> 'x'\n  [d]:\n  b.md#heat\n> [e]: b.md\n[f]: b.md (x)",
    ),
    _breaks(
        "a fence that is none",
        "``` `\n[c](c.md)\n``\n[d](d.md)",
        _dead(8, 5, "c.md"),
        _dead(10, 5, "d.md"),
    ),
    _breaks(
        "indented text that is no code",
        "Steel\n    [c](c.md)\n\n- a\n\n    [d](d.md)\n\n   [e](e.md)",
        _dead(8, 9, "c.md"),
        _dead(12, 9, "d.md"),
        _dead(14, 8, "e.md"),
    ),
    _breaks("after a comment", "A <!-- [x](x.md) --> [c](c.md) <!--", _dead(7, 26, "c.md")),
    _breaks("after a fence", "```\n[x](x.md)\n```\n[c](c.md)", _dead(10, 5, "c.md")),
    _breaks(
        "after inline code",
        "`[x](x.md)`[c](c.md) `` ` `` [d](d.md)",
        _dead(7, 16, "c.md"),
        _dead(7, 34, "d.md"),
    ),
    _breaks(
        "backticks that do not pair",
        "` [c](c.md) ``\n\n` [d](d.md)",
        _dead(7, 7, "c.md"),
        _dead(9, 7, "d.md"),
    ),
    _breaks("escaped backticks", "\\`[c](c.md)\\`", _dead(7, 7, "c.md")),
    _breaks("an escaped backslash", "\\\\[c](c.md)", _dead(7, 7, "c.md")),
    _breaks("brackets within", "[a [c] \\] b](c.md)", _dead(7, 14, "c.md")),
    _breaks(
        "an image within a link", "[![p](p.png)](c.md)", _dead(7, 7, "p.png"), _dead(7, 15, "c.md")
    ),
    _breaks(
        "parentheses within",
        "[c](c(1).md) [d](d\\(.md)",
        _dead(7, 5, "c(1).md"),
        _dead(7, 18, "d(.md"),
    ),
    _breaks(
        "blanks and a line end around",
        "[c]( \t c.md \n)[d](\n d.md 'x')",
        _dead(7, 8, "c.md"),
        _dead(9, 2, "d.md"),
    ),
    _breaks(
        "definitions that are dead",
        '[c]: c.md\n[d]: <d e.md> "x"\n> [f]:\n f.md',
        _dead(7, 6, "c.md"),
        _dead(8, 7, "d e.md"),
        _dead(10, 2, "f.md"),
    ),
    _breaks(
        "a definition that nobody uses, twice",
        "[c]: c.md\n[c]: c.md",
        _dead(7, 6, "c.md"),
        _dead(8, 6, "c.md"),
    ),
    folder(
        "MF209",
        "CRLF",
        {
            "a.md": page(
                f"`\n\n[c](c.md) `\n\n[d]: d.md\n\n[e](e.md\n'x')\n\n```\n[x](x.md)\n```{_SEE}"
            ).replace("\n", "\r\n")
        },
        _dead(9, 5, "c.md"),
        _dead(11, 6, "d.md"),
        _dead(13, 5, "e.md"),
    ),
)

CASES = (*TARGETS, *SYNTAX)
