"""What obeys and breaks MF306, MF307 and MF314: uuids and summaries."""

from __future__ import annotations

from tests.validator.cases import Case, Found, error, folder, info, one, warning
from tests.validator.fields import page, uuid

_UUID = "6aa615f0-486f-48a7-a210-ba4f5ff18c8b"


def _not_uuid(source: str, text: str | None = None) -> Case:
    shown = source if text is None else text
    found = error("MF306", 5, 7, says=f"`{shown}` is not a UUID")
    return one("MF306", source, page(uuid=source), found)


UUIDS = (
    *(
        one("MF306", source, page(uuid=source))
        for source in (
            _UUID,
            _UUID.upper(),
            f"'{_UUID}'",
            "00000000-0000-0000-0000-000000000000",
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
        )
    ),
    one("MF306", "no uuid", page(uuid=None), warning("MF303", 1, 1, says="`uuid`", fixable=True)),
    _not_uuid("x"),
    _not_uuid("''", ""),
    _not_uuid(_UUID.replace("-", "")),
    _not_uuid(f"'{{{_UUID}}}'", f"{{{_UUID}}}"),
    _not_uuid(f"'urn:uuid:{_UUID}'", f"urn:uuid:{_UUID}"),
    _not_uuid(f"'{_UUID} '", f"{_UUID} "),
    _not_uuid(f'"{_UUID}\\n"', f"{_UUID}\\n"),
    _not_uuid(_UUID[:-1]),
    _not_uuid(_UUID + "0"),
    _not_uuid(_UUID.replace("6a", "6g")),
    _not_uuid(_UUID.replace("-4", "4-")),
    _not_uuid("６" + _UUID[1:]),
)


def _shares(file: str, text: str, first: str) -> Found:
    return error("MF307", 5, 7, file=file, says=f"shares the uuid `{text}` with `{first}`")


UNIQUE = (
    folder("MF307", "two uuids", {"a.md": page(), "b.md": page(number=1)}),
    folder(
        "MF307",
        "two that are empty",
        {name: page(uuid="''") for name in ("a.md", "b.md")},
        error("MF306", 5, 7, says="``"),
        error("MF306", 5, 7, file="b.md", says="``"),
    ),
    folder(
        "MF307",
        "two that are no strings",
        {name: page(uuid="~") for name in ("a.md", "b.md")},
        error("MF305", 5, 7, says="null", hint="give it a value"),
        error("MF305", 5, 7, says="null", hint="give it a value", file="b.md"),
    ),
    folder(
        "MF307",
        "a block that is broken",
        {"a.md": page(), "b.md": page(title="a: b")},
        error("MF301", 2, 9, file="b.md", says="cannot be read", hint="quote", fixable=True),
    ),
    folder("MF307", "two pages", {"a.md": page(), "b.md": page()}, _shares("b.md", uuid(), "a.md")),
    folder(
        "MF307",
        "three pages",
        {name: page() for name in ("a.md", "b.md", "c.md")},
        _shares("b.md", uuid(), "a.md"),
        _shares("c.md", uuid(), "a.md"),
    ),
    folder(
        "MF307",
        "in another case",
        {"a.md": page(uuid=_UUID), "b.md": page(uuid=_UUID.upper())},
        _shares("b.md", _UUID.upper(), "a.md"),
    ),
    folder(
        "MF307",
        "no UUIDs",
        {"a.md": page(uuid="X1"), "b.md": page(uuid="x1")},
        _shares("b.md", "x1", "a.md"),
        error("MF306", 5, 7, says="`X1`"),
        error("MF306", 5, 7, file="b.md", says="`x1`"),
    ),
)


def _summary(what: str, source: str, *found: Found) -> Case:
    return one("MF314", what, page(more=f"summary: {source}\n"), *found)


def _long(says: str) -> Found:
    return info("MF314", 6, 10, says=f"`summary` is {says}")


SUMMARIES = (
    one("MF314", "none", page()),
    _summary("1000 characters", "鍋" * 1000),
    _summary("folded over lines", "One\n  line\n  of text."),
    _summary("a folded block", ">\n  One\n  line."),
    _summary("line ends around it", "|+\n\n  One line.\n\n"),
    _summary("quoted, over lines", '"One\n  line \\\n  of text."'),
    _summary("nothing", "''"),
    _summary("1001 characters", "x" * 1001, _long("1001 characters")),
    _summary("1001 wide characters", "🍳" * 1001, _long("1001 characters")),
    _summary("two lines", "|\n  One.\n  Two.", _long("2 lines")),
    _summary("paragraphs of a folded block", ">\n  One.\n\n  Two.\n", _long("2 lines")),
    _summary("an escape", '"One.\\nTwo.\\n\\nFour."', _long("4 lines")),
)

CASES = (*UUIDS, *UNIQUE, *SUMMARIES)
