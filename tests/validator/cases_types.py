"""What obeys and breaks MF305: the types of the defined fields."""

from __future__ import annotations

from tests.validator.cases import Case, Found, error, one, warning
from tests.validator.fields import page

_UUID = "6aa615f0-486f-48a7-a210-ba4f5ff18c8b"


def _misread(
    name: str,
    line: int,
    column: int,
    source: str,
    kind: str,
    hint: str | None = None,
    *,
    fixable: bool = True,
) -> Found:
    says = f"`{name}` must be text, but YAML 1.1 reads `{source}` as {kind}"
    return error(
        "MF305",
        line,
        column,
        says=says,
        hint=hint or f"quote it: {name}: '{source}'",
        fixable=fixable,
    )


def _title(source: str, kind: str) -> Case:
    """A title that YAML takes for something else, in line 2."""
    return one(
        "MF305", f"title: {source}", page(title=source), _misread("title", 2, 8, source, kind)
    )


def _wrong(name: str, line: int, column: int, says: str, hint: str) -> Found:
    return error("MF305", line, column, says=(f"`{name}`", says), hint=hint)


def _lost(name: str, line: int, column: int, kept: str, lost: str, kind: str) -> Found:
    says = f"`{name}` is read as `{kept}`: YAML takes `{lost}` for {kind}"
    return warning("MF305", line, column, says=says, hint="quote the whole value")


def _type(what: str, text: str, *found: Found) -> Case:
    return one("MF305", what, text, *found)


TYPES = (
    *(
        _type(f"text: {source}", page(title=source))
        for source in (
            "'no'",
            '"2026"',
            "y",
            "N",
            "1e3",
            "0o12",
            "0x",
            "1.2.3",
            "2026-1-1",
            "nope",
            "Null!",
            "=",
            "a:b",
            "!!str no",
            "! 012",
            "|\n  no",
            ">-\n  12",
            "C#",
            "a#b",
            "'a # b'",
            "\u3000",
            "\u200b",
        )
    ),
    _type(
        "fields that are nobody's business", page(more="author: no\ndate: 2026-01-01\nsummary: x\n")
    ),
    _title("no", "the truth value false"),
    _title("Yes", "the truth value true"),
    _title("2026", "the number 2026"),
    _title("012", "the number 10"),
    _title("0x1F", "the number 31"),
    _title("0b11", "the number 3"),
    _title("1_000", "the number 1000"),
    _title("-1:30", "the number -90"),
    _title("12:30:00", "the number 45000"),
    _title("1.10", "the number 1.1"),
    _title("190:20:30.15", "the number 685230.15"),
    _type(
        "infinity",
        page(title=".inf"),
        _misread("title", 2, 8, ".inf", "the number .inf"),
        warning("MF313", 2, 8, says="`.inf`"),
    ),
    _title("2026-04-05", "a date"),
    _title("<<", "a merge"),
    _type(
        "a date by its tag",
        page(title="!!timestamp '2026-04-05'"),
        _misread(
            "title",
            2,
            8,
            "!!timestamp '2026-04-05'",
            "a date",
            "title: '2026-04-05'",
            fixable=False,
        ),
    ),
    _type("no value", page(title=""), _wrong("title", 2, 7, "has no value", "leave the field out")),
    _type("a tilde", page(title="~"), _wrong("title", 2, 8, "has no value", "leave the field out")),
    _type(
        "the word",
        page(more="summary: null\n"),
        _wrong("summary", 6, 10, "nothing (null)", "give it a value"),
    ),
    *(
        _type(
            f"blank: {source!r}",
            page(title=source),
            _wrong("title", 2, 8, "is blank", "write a title"),
        )
        for source in ("''", "' '", '"\\t\\r\\n"', "''  # none")
    ),
    _type(
        "a list",
        page(title="[a, b]"),
        _wrong("title", 2, 8, "`[a, b]` is a list", "quote the value"),
    ),
    _type(
        "a block list",
        page(title="\n  - a\n  - b"),
        _wrong("title", 3, 3, "is a list", "one line of text"),
    ),
    _type(
        "a mapping",
        page(title="{a: b}"),
        _wrong("title", 2, 8, "`{a: b}` is a mapping", "quote the value"),
    ),
    _type(
        "a placeholder",
        page(title="{{title}}"),
        _wrong("title", 2, 8, "`{{title}}` is a mapping", "placeholder"),
        warning("MF313", 2, 9, says="a key is a list or a mapping"),
    ),
    _type(
        "a uuid that is a number",
        page(uuid="12"),
        _misread("uuid", 5, 7, "12", "the number 12", fixable=False),
    ),
    _type(
        "a uuid that is a date",
        page(uuid="2026-01-01"),
        _misread("uuid", 5, 7, "2026-01-01", "a date", fixable=False),
    ),
    _type(
        "a summary that is a bool",
        page(more="summary: off\n"),
        _misread("summary", 6, 10, "off", "the truth value false"),
    ),
    _type(
        "a number that JSON has not",
        page(title="1" * 4301),
        _misread("title", 2, 8, "1" * 119 + "…", "the number 1", "title: '111"),
        warning("MF313", 2, 8, says="640 digits"),
    ),
    _type(
        "a date that is infinite",
        page(created="-.inf"),
        _misread("created", 3, 10, "-.inf", "the number -.inf", fixable=False),
        warning("MF313", 3, 10, says="`-.inf`"),
    ),
    _type(
        "a date that is a number",
        page(created="2026"),
        _misread("created", 3, 10, "2026", "the number 2026", fixable=False),
    ),
    _type(
        "a date that is a list",
        page(updated="['2026-01-01']"),
        _wrong("updated", 4, 10, "is a list", "quote the value"),
    ),
    _type(
        "binary with a quote in it",
        page(title='!!binary "it\'s"'),
        _misread("title", 2, 8, '!!binary "it\'s"', "binary data", "title: 'it''s'", fixable=False),
        warning("MF313", 2, 8, says="binary data"),
    ),
    _type(
        "binary",
        page(title="!!binary aGVhdA=="),
        _misread("title", 2, 8, "!!binary aGVhdA==", "binary data", "'aGVhdA=='", fixable=False),
        warning("MF313", 2, 8, says="binary data"),
    ),
    _type(
        "an alias, where the value stands",
        page(title=None, more="x: &x 12\ntitle: *x\n"),
        _misread("title", 5, 4, "&x 12", "the number 12", "title: '12'", fixable=False),
    ),
)

LOST = (
    _type("a comment after quotes", page(title="'C#'  # the language")),
    _type("an anchor that is used", page(title="'Steel'", more="x: &x a\nsummary: *x\n")),
    _type("an alias with a comment", page(more="x: &x a # b\nsummary: *x # c\n")),
    _type("an anchor that is merged", page(title=None, more="x: &x {title: &y Steel}\n<<: *x\n")),
    _type("a comment in another field", page(more="x: a # b\n")),
    _type("a comment below", page(title="Steel\n# comment")),
    _type(
        "text after a blank and #",
        page(title="C# tips # and more"),
        _lost("title", 2, 8, "C# tips", "# and more", "a comment"),
    ),
    _type(
        "CRLF",
        page(title="C # x").replace("\n", "\r\n"),
        _lost("title", 2, 8, "C", "# x", "a comment"),
    ),
    _type("an anchor", page(title="&x bar"), _lost("title", 2, 8, "bar", "&x", "an anchor")),
    _type(
        "everything",
        page(title="# heat"),
        _lost("title", 2, 7, "", "# heat", "a comment"),
        _wrong("title", 2, 7, "has no value", ""),
    ),
    _type(
        "in each defined field",
        page(more="summary: a #b\n", uuid=f"{_UUID} # x"),
        _lost("uuid", 5, 7, _UUID, "# x", "a comment"),
        _lost("summary", 6, 10, "a", "#b", "a comment"),
    ),
)

CASES = (*TYPES, *LOST)
