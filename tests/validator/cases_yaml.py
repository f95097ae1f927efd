"""What obeys and breaks MF311 to MF313: YAML that others read in another way, or not at all."""

from __future__ import annotations

from tests.validator.cases import Case, Found, error, one, warning
from tests.validator.fields import page

_NO_SOURCE_BODY = "https://example.com\n"


def _twice(name: str, line: int, column: int, earlier: int) -> Found:
    says = (
        f"the key `{name}` stands twice, in lines {earlier} and {line}: parsers keep only the last"
    )
    return warning("MF311", line, column, says=says)


def _same(earlier: str, earlier_line: int, later: str, line: int, column: int) -> Found:
    says = f"the keys `{earlier}` (line {earlier_line}) and `{later}` (line {line}) are equal"
    return warning("MF311", line, column, says=says)


def _not_json(line: int, column: int, says: str) -> Found:
    return warning("MF313", line, column, says=("JSON cannot carry this", says))


def _keys(what: str, more: str, *found: Found) -> Case:
    return one("MF311", what, page(more=more), *found)


KEYS = (
    _keys("keys that differ", "x: {a: 1, A: 2, 'a ': 3}\ny: {a: 1}\n"),
    _keys("a key that overrides a merged one", "x: &x {a: 1, b: 2}\ny: {<<: *x, a: 2}\n"),
    _keys("two merge keys", "x: &x {a: 1}\ny: &y {b: 1}\nz: {<<: *x, <<: *y}\n"),
    _keys("one key, seen twice through an alias", "x: &x {a: 1}\ny: *x\n"),
    _keys("uuid twice", "uuid: 0b5f1f2e-7f0e-4d0c-9a55-0d6f3d8f2c11\n", _twice("uuid", 6, 1, 5)),
    _keys("three times", "x: {a: 1, a: 2,\n  a: 3}\n", _twice("a", 6, 11, 6), _twice("a", 7, 3, 6)),
    _keys("deeper", "x:\n- y:\n    a: 1\n    a: 2\n", _twice("a", 9, 5, 8)),
    _keys("quoted and plain", "x: {a: 1, 'a': 2}\n", _same("a", 6, "'a'", 6, 11)),
    _keys(
        "the same in JSON",
        "x:\n  1: soft\n  '1': hard\n",
        _same("1", 7, "'1'", 8, 3),
        _not_json(7, 3, "the key `1` is a YAML int"),
    ),
    _keys(
        "equal as values",
        "x: {1: a, true: b, 1.0: c}\n",
        _same("1", 6, "true", 6, 11),
        _same("true", 6, "1.0", 6, 20),
        _not_json(6, 5, "the key `1` is a YAML int"),
        _not_json(6, 11, "the key `true` is a YAML bool"),
        _not_json(6, 20, "the key `1.0` is a YAML float"),
    ),
    _keys(
        "spelled in two ways",
        "x: {0x10: a, 16: b}\n",
        _same("0x10", 6, "16", 6, 14),
        _not_json(6, 5, "`0x10`"),
        _not_json(6, 14, "`16`"),
    ),
    _keys(
        "an escape in a key that is quoted in the message",
        'x: {"\\ea": 1, "\\ea": 2}\n',
        _twice('"\\ea"', 6, 15, 6),
    ),
)


def _bounds(what: str, more: str, *found: Found) -> Case:
    return one("MF312", what, page(_NO_SOURCE_BODY, more=more), *found)


def _refused(line: int, column: int, says: str, hint: str | None = None) -> Found:
    return error("MF312", line, column, says=("the frontmatter is refused", says), hint=hint)


def _tagged(line: int, column: int, says: str) -> Found:
    return _refused(line, column, says, "quote the value: `!` at its beginning is read as a tag")


def _lists(depth: int) -> str:
    return f"x: {'[' * depth}{']' * depth}\n"


def _filled(size: int) -> str:
    """A page whose block, from line 2 to line 6, has so many bytes."""
    rest = size - len(page("", more="y: ''\n")) + len("---\n---\n")
    return page(_NO_SOURCE_BODY, more=f"y: '{'x' * rest}'\n")


_LINE_6 = len(page("")) - len("---\n")
_LARGE = warning("MF203", 6, 8192 - _LINE_6 + 1, says="over the 8192")
_TOO_DEEP = "nested more than 32 levels deep"
_TOO_MANY = "more than 100 aliases"

BOUNDS = (
    _bounds(
        "the tags of YAML 1.1",
        "x: [!!str 1, !!int '1', !!float 1, !!bool yes, !!null ~, ! 1]\n"
        "y: !!map {a: !!seq [], b: !!omap [], c: !!pairs [], d: !!set {}}\n"
        "z: !!timestamp 2026-01-01\n",
    ),
    _bounds("a tag of one's own", "x: !x y\n", _tagged(6, 4, "the tag !x")),
    _bounds(
        "a tag that makes objects",
        "x: !!python/object/apply:os.system [ls]\n",
        _tagged(6, 4, "!!python/object"),
    ),
    _bounds("a tag on the whole", "x: !<urn:x> {y: 1}\n", _tagged(6, 4, "the tag urn:x")),
    _bounds("32 levels", _lists(31)),
    _bounds("33 levels", _lists(32), _refused(6, 35, _TOO_DEEP)),
    _bounds("32 levels by an alias", f"y: &y {'[' * 16}{']' * 16}\nx: {'[' * 15}*y{']' * 15}\n"),
    _bounds(
        "33 levels by an alias",
        f"y: &y {'[' * 16}{']' * 16}\nx: {'[' * 16}*y{']' * 16}\n",
        _refused(7, 20, _TOO_DEEP),
    ),
    _bounds("100 aliases", f"y: &y 1\nx: [{', '.join(['*y'] * 100)}]\n"),
    _bounds(
        "101 aliases", f"y: &y 1\nx: [{', '.join(['*y'] * 101)}]\n", _refused(7, 405, _TOO_MANY)
    ),
    _bounds(
        "100 aliases as expanded",
        f"y: &y 1\nz: &z [{', '.join(['*y'] * 4)}]\nx: [{', '.join(['*z'] * 19)}, *y]\n",
    ),
    _bounds(
        "101 aliases as expanded",
        f"y: &y 1\nz: &z [{', '.join(['*y'] * 4)}]\nx: [{', '.join(['*z'] * 19)}, *y, *y]\n",
        _refused(8, 85, _TOO_MANY),
    ),
    _bounds(
        "a thousand million of them",
        "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
        + "".join(
            f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]\n"
            for a, b in zip("abcdefgh", "bcdefghi", strict=True)
        ),
        _refused(8, 40, _TOO_MANY),
    ),
    _bounds(
        "an alias that holds itself", "x: &x [*x]\n", _refused(6, 8, "the alias *x contains itself")
    ),
    _bounds("an anchor that is set anew", "x: &x [a]\ny: &x [b]\nz: *x\n"),
    _bounds(
        "nothing else is said", "title: no\ntitle: [.nan]\nx: !x y\n", _tagged(8, 4, "the tag !x")
    ),
    _bounds(
        "a tag that would move the cursor", "x: !<%1B%5B2J%0A> y\n", _tagged(6, 4, "\\x1b[2J\\n")
    ),
)


def _json(what: str, more: str, *found: Found) -> Case:
    return one("MF313", what, page(more=more), *found)


_MANY = "1" * 4301

JSON = (
    _json(
        "all that JSON has",
        "x: {a: [1, -2.5e+3, ~, true, 'x', 2026-01-01, 0x1F, 12:30:00], '1': {}}\n",
    ),
    _json("an integer of 640 digits", f"x: {'1' * 640}\n"),
    _json("dates", "x: 2026-01-01\ny: 2026-02-30 25:61:61\n"),
    _json("quoted", "x: ['.nan', '.inf']\n'1': y\n"),
    _json(
        "no number",
        "x: .nan\ny: [-.inf, .Inf]\n",
        _not_json(6, 4, "`.nan` is not a finite"),
        _not_json(7, 5, "`-.inf`"),
        _not_json(7, 12, "`.Inf`"),
    ),
    _json("too large for a float", "x: 1.0e+999\n", _not_json(6, 4, "`1.0e+999`")),
    _json("an integer of many digits", f"x: {_MANY}\n", _not_json(6, 4, "more than 640 digits")),
    _json("binary", "x: !!binary aGVhdA==\n", _not_json(6, 4, "binary data")),
    _json(
        "keys",
        "2: a\nyes: b\n~: c\n2026-01-01: d\n? [a]\n: e\n",
        _not_json(6, 1, "the key `2` is a YAML int"),
        _not_json(7, 1, "the key `yes` is a YAML bool"),
        _not_json(8, 1, "the key `~` is a YAML null"),
        _not_json(9, 1, "the key `2026-01-01` is a YAML timestamp"),
        _not_json(10, 3, "a key is a list or a mapping"),
    ),
    _json(
        "what an alias repeats is told once",
        "x: &x [.nan]\ny: [*x, *x]\n",
        _not_json(6, 8, "`.nan`"),
    ),
    _json(
        "within a key",
        "? {a: .nan}\n: b\n",
        _not_json(6, 3, "a key is a list"),
    ),
    _json(
        "an escape sequence is shown", 'x: {!!binary "\\e[2J": y}\n', _not_json(6, 5, "\\x1b[2J")
    ),
)

SIZE = (
    one("MF312", "65,536 bytes", _filled(65_536), _LARGE),
    one("MF312", "65,537 bytes", _filled(65_537), _refused(2, 1, "over 65536 bytes"), _LARGE),
)

CASES = (*KEYS, *BOUNDS, *JSON, *SIZE)
