"""What obeys and breaks MF501 to MF509; see test_indexes_hostile for what is built to do harm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tests.validator.cases import Case, Found, error, folder, info, warning
from tests.validator.fields import page, pages
from tests.validator.index_files import (
    LOOSE,
    TABLE,
    VECTOR,
    Row,
    index,
    index_of,
    patched,
    row,
    vector,
)

COMMON = "nomic-embed-text-v1.5"
TINY = "tiny-v1.sqlite3"
_PAGES = {"a.md": page(), "b.md": page(number=1)}
_A, _B = (row(name, content) for name, content in _PAGES.items())
_UNCOMMON = info("MF507", file=None, says=f"no vector index is made with `{COMMON}`")


def _files(
    rule: str, what: str, files: Mapping[str, str | bytes], *found: Found, common: bool = False
) -> Case:
    """A field of two pages and these files."""
    expected = found if common else (_UNCOMMON, *found)
    return folder(rule, what, {**_PAGES, **files}, *expected)


def _rows(
    rule: str, what: str, rows: Iterable[Row], *found: Found, table: str = LOOSE, name: str = TINY
) -> Case:
    """A field of two pages and an index with these rows."""
    return _files(rule, what, {name: index(rows, table=table)}, *found)


def _error(rule: str, *says: str, file: str = TINY) -> Found:
    return error(rule, file=file, says=says)


def _warning(*says: str) -> Found:
    return warning("MF505", file=TINY, says=says)


SIZES = (
    folder("MF501", "99 pages", pages(99)),
    folder(
        "MF501",
        "100 pages",
        pages(100),
        info("MF501", file=None, says="there are 100 pages and no vector index"),
    ),
    folder("MF501", "100 pages, an index", {**pages(100), f"{COMMON}.bin": ""}),
    folder(
        "MF501",
        "100 pages, a side file",
        {**pages(100), f"{COMMON}.sqlite3-wal": ""},
        info("MF501", file=None, says="no vector index"),
        warning("MF508", file=f"{COMMON}.sqlite3-wal", says="SQLite left beside"),
    ),
)

_GOOD = index_of(_PAGES)

NAMES = (
    *(
        _files("MF502", f"`{name}`", {f"{name}.sqlite3": _GOOD})
        for name in ("tiny-v1", "tiny@3", "x.2026-01-01", "all-MiniLM-L6-v2x", "nomic-v1.5x")
    ),
    *(
        _files(
            "MF502",
            f"`{name}`",
            {f"{name}.sqlite3": _GOOD},
            _error("MF502", "does not tell the model and its version", file=f"{name}.sqlite3"),
        )
        for name in ("nomic-embed-text", "bge-small-en", "embeddings", "tiny-v\u0663")
    ),
    *(
        _files(
            "MF503",
            f"`{name}`",
            {name: ""},
            warning("MF503", file=name, says="a textual format"),
            common=True,
        )
        for name in (f"{COMMON}.json", f"{COMMON}.JSONL", f"{COMMON}_2.csv", f"{COMMON}.a.Csv")
    ),
    _files("MF503", "no index", {"data.json": "", "tiny-v1.csv": ""}, common=True),
    _files(
        "MF503", "another version", {f"{COMMON}x.json": "", f"{COMMON}.1.json": ""}, common=True
    ),
    _files("MF503", "a format that is none of these", {f"{COMMON}.txt": ""}, common=True),
    _files("MF507", "alone", {f"{COMMON}.bin": ""}, common=True),
    _files("MF507", "beside another", {f"{COMMON}": "", TINY: _GOOD}, common=True),
    _files("MF507", "no index at all", {"x.bin": ""}, common=True),
    _files("MF507", "the version before", {"nomic-embed-text-v1.bin": ""}),
    _files("MF507", "another model", {"bge-m3_2.bin": "", TINY: _GOOD}),
)

SIDE_FILES = (
    _files("MF508", "one file", {TINY: _GOOD}),
    _files(
        "MF508",
        "side files",
        {TINY: _GOOD, f"{TINY}-wal": "x", f"{TINY}-shm": "x", f"{TINY}-journal": "x"},
        *(
            warning("MF508", file=f"{TINY}-{what}", says="SQLite left beside")
            for what in ("wal", "shm", "journal")
        ),
    ),
    _files(
        "MF508",
        "WAL mode",
        {TINY: patched(_GOOD, 18, b"\2\2")},
        warning("MF508", file=TINY, says="is in WAL mode"),
    ),
    _files("MF508", "half of WAL mode", {TINY: patched(_GOOD, 18, b"\2")}),
    _files("MF508", "no database", {f"{COMMON}.bin": b"\2" * 100}, common=True),
    _files(
        "MF508",
        "WAL mode, under another ending",
        {f"{COMMON}.db": patched(_GOOD, 18, b"\2\2")},
        warning("MF508", file=f"{COMMON}.db", says="is in WAL mode"),
        common=True,
    ),
)

SOUNDNESS = (
    _files("MF504", "sound", {TINY: _GOOD}),
    _files("MF504", "other tables", {TINY: index(after=["ALTER TABLE pages RENAME TO x"])}),
    _files(
        "MF504",
        "more columns, and capitals",
        {TINY: index([_A, _B], table=TABLE.replace("filename", "more INT, filename").upper())},
    ),
    _files("MF504", "no row id", {TINY: index([_A, _B], table=f"{TABLE} WITHOUT ROWID")}),
    _files(
        "MF504",
        "a pointer",
        {TINY: "version https://git-lfs.github.com/spec/v1\n"},
        _error("MF108", "pointer"),
    ),
    *(
        _files("MF504", what, {TINY: data}, _error("MF504", *says))
        for what, data, says in (
            ("0 bytes", b"", ("does not begin with the header",)),
            ("text", b"SQLite format 3\n" * 99, ("does not begin with the header",)),
            ("a header alone", b"SQLite format 3\0", ("cannot be read as a database",)),
            ("half of it", _GOOD[: len(_GOOD) // 2], ("cannot be read as a database",)),
            ("a free page too many", patched(_GOOD, 39, b"\1"), ("does not pass a quick check",)),
            (
                "without two columns",
                index([], table=LOOSE, after=["ALTER TABLE pages DROP COLUMN frontmatter"]),
                ("its table `pages` lacks `frontmatter`",),
            ),
            (
                "a column that is computed",
                index([_A, _B], table=TABLE[:-1] + ", x AS (1))"),
                ("computes the column `x` of its table `pages`",),
            ),
        )
    ),
    _files(
        "MF504",
        "a column that is computed and stored",
        {TINY: index([_A, _B], table=TABLE[:-1] + ", x AS (1) STORED)")},
    ),
)

_OLD_A = _A._replace(sha256_hash=bytes(32))
_OLD_B = _B._replace(sha256_hash=bytes(32))
_GONE = Row("x.md", bytes(32), VECTOR)

ROWS = (
    _rows("MF505", "a row each", [_B, _A]),
    _rows("MF505", "a stale row", [_A, _OLD_B], _warning("not of the page as it stands: `b.md`")),
    _rows("MF505", "two stale rows", [_OLD_B, _OLD_A], _warning("stands: `b.md` and 1 more")),
    _rows(
        "MF505",
        "a hash in hexadecimal",
        [_A, _B._replace(sha256_hash=_B.sha256_hash.hex())],
        _warning("`b.md`"),
    ),
    _rows(
        "MF505",
        "a hash that is a text",
        [_A, _B._replace(sha256_hash="x" * 32)],
        _warning("`b.md`"),
    ),
    _rows("MF505", "no hash", [_A, _B._replace(sha256_hash=None)], _warning("`b.md`")),
    _rows("MF505", "pages that are gone", [_A, _GONE, _B, _GONE], _warning("`x.md` and 1 more")),
    _rows("MF505", "the same page twice", [_A, _B, _OLD_A], _warning("a row too many", "`a.md`")),
    _rows("MF505", "no row", [_A], _warning("a page without a row: `b.md`")),
    _rows("MF505", "no rows", [], _warning("a page without a row: `a.md` and 1 more")),
    _rows(
        "MF505",
        "all of it",
        [_OLD_A, _GONE],
        _warning("`a.md`"),
        _warning("`x.md`"),
        _warning("`b.md`"),
    ),
)


def _embeddings(
    what: str, first: object, second: object, *says: str, name: str = TINY, more: Iterable[Row] = ()
) -> Case:
    """An index of two rows with these embeddings, and what is wrong with them."""
    rows = [_A._replace(embedding=first), _B._replace(embedding=second), *more]
    found = tuple(_error("MF506", one, file=name) for one in says)
    return _rows("MF506", what, rows, *found, name=name)


_NAN, _INFINITE = vector(1, float("nan")), vector(float("inf"), float("-inf"))
_LARGEST = vector(-3.4028234663852886e38, 3.4028234663852886e38)
_LENGTH, _LENGTHS = "a wrong length: `b.md`", "a wrong length: `a.md` and 1 more"

EMBEDDINGS = (
    _embeddings("sound", vector(0.5), vector(-1)),
    _embeddings("the largest numbers", _LARGEST, vector(1e-45, 0)),
    _embeddings("65536 numbers", vector(*[1] * 65536), vector(*[1] * 65536)),
    _embeddings("65537 numbers", vector(*[1] * 65537), vector(*[1] * 65537), _LENGTHS),
    _embeddings("two lengths", vector(1), vector(1, 1), _LENGTH),
    _embeddings("no whole numbers", b"12345", b"12345", _LENGTHS),
    _embeddings("the first is at fault", b"12345", vector(1), "length: `a.md`"),
    _embeddings("empty", vector(1), b"", _LENGTH),
    _embeddings("all empty", b"", b"", _LENGTHS),
    _embeddings("NULL", vector(1), None, _LENGTH),
    _embeddings("a text", vector(1), "1234", _LENGTH),
    _embeddings("a number", vector(1), 1234, _LENGTH),
    _embeddings("NaN", _NAN, vector(1, 1), "not finite: `a.md`"),
    _embeddings("infinities", vector(1, 1), _INFINITE, "not finite: `b.md`"),
    _embeddings("an infinity", vector(1, 1), vector(1, float("-inf")), "not finite: `b.md`"),
    _embeddings("zero", vector(0, -0.0), vector(-0.0, -0.0), "zeros: `a.md` and 1 more"),
    _embeddings("each fault", _NAN, vector(0, 0), "finite: `a.md`", "zeros: `b.md`"),
    _embeddings(
        "the length of a known model",
        vector(*[1] * 384),
        vector(*[1] * 383),
        "length: `b.md`",
        name="all-MiniLM-L6-v2.sqlite3",
    ),
    _embeddings(
        "one length, and not that of the model",
        vector(1, 1),
        vector(1, 1),
        "length: `a.md` and 1 more",
        name="bge-m3-x.sqlite3",
    ),
)


def _foreign(what: str, filename: object, called: str, *, encoding: str = "utf-8") -> Case:
    """An index with a row that names no page."""
    rows = [_A, _B, Row(filename, bytes(32), VECTOR)]
    data = index(rows, table=LOOSE, before=[f"PRAGMA encoding = '{encoding}'"])
    return _files("MF509", what, {TINY: data}, _error("MF509", f"names no page: {called}"))


FOREIGN = (
    _files("MF509", "pages alone", {TINY: _GOOD}),
    *(
        _files(
            "MF509",
            f"in {encoding}",
            {TINY: index([_A, _B], before=[f"PRAGMA encoding = '{encoding}'"])},
        )
        for encoding in ("UTF-16le", "UTF-16be")
    ),
    _foreign("a path", "../../etc/passwd", "`../../etc/passwd`"),
    _foreign("an absolute name", "/a.md", "`/a.md`"),
    _foreign("in capitals", "A.md", "`A.md`"),
    _foreign("a line feed behind it", "a.md\n", r"`a.md\n`"),
    _foreign("a NUL behind it", "a.md\0", r"`a.md\x00`"),
    _foreign("empty", "", "``"),
    _foreign("NULL", None, "row 3"),
    _foreign("a blob", b"a.md", "row 3"),
    _foreign("a number", 5, "row 3"),
    _foreign("a long name", "x" * 200_000, "row 3"),
    _foreign("in UTF-16", "é.md", "`é.md`", encoding="UTF-16le"),
    _files(
        "MF509",
        "no UTF-8",
        {
            TINY: index([_A, _B, Row("QQ.md", bytes(32), VECTOR)], table=LOOSE).replace(
                b"QQ.md", b"\xff\xfe.md"
            )
        },
        _error("MF509", r"names no page: `\xff\xfe.md`"),
    ),
    _rows(
        "MF509",
        "two of them",
        [_A, _B, Row("x.png", bytes(32), VECTOR), Row("y.png", bytes(32), VECTOR)],
        _error("MF509", "`x.png` and 1 more"),
    ),
    folder(
        "MF509",
        "a page with a bad name",
        {"É.md": page(), TINY: index_of({"É.md": page()})},
        error("MF201", file="É.md", says="É", hint="rename it", fixable=True),
        _UNCOMMON,
    ),
    *(
        _files(
            "MF509",
            f"`pages` is {what}",
            {TINY: index([_A], after=["ALTER TABLE pages RENAME TO x", statement])},
            _error("MF509", f"its `pages` is {what}, not a table"),
        )
        for what, statement in (
            ("a view", "CREATE VIEW Pages AS SELECT * FROM x"),
            ("a virtual table", "CREATE VIRTUAL TABLE pages USING fts5(filename)"),
        )
    ),
)

CASES = (*SIZES, *NAMES, *SIDE_FILES, *SOUNDNESS, *ROWS, *EMBEDDINGS, *FOREIGN)
