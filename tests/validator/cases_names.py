"""What obeys and breaks MF106 to MF108, MF201, MF210 and MF211 by the names of files.

Most are archives, since not every file system can hold such names side by side.
"""

from __future__ import annotations

import unicodedata

from tests.validator.cases import Case, Found, error, folder, one, warning, zipped
from tests.validator.fields import Files, archive, page
from tests.validator.index_files import COMMON, OTHER_TABLE

_POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:8742\nsize 40960\n"
_LFS = "a Git LFS pointer stands in place"
_COMPOSED = unicodedata.normalize("NFC", "cafe\u0301.txt")
_DECOMPOSED = unicodedata.normalize("NFD", _COMPOSED)
_PLAIN: Files = {"a.md": page()}


def _files(rule: str, what: str, files: Files, *found: Found) -> Case:
    return zipped(rule, what, archive({**_PLAIN, **files}), *found)


def _collides(name: str, first: str, how: str) -> Found:
    return warning("MF106", file=name, says=f"differs from `{first}` only by {how}")


def _reserved(name: str, device: str) -> Found:
    return warning("MF107", file=name, says=f"Windows reserves `{device}`")


def _bad(name: str, why: str, better: str) -> Found:
    says = (f"`{name}` is no page name", why)
    return error("MF201", file=name, says=says, hint=f"rename it to `{better}`", fixable=True)


def _lookalike(name: str, better: str) -> Found:
    says = (f"`{name}` looks like a page", "`.md`")
    return warning("MF210", file=name, says=says, hint=f"rename it to `{better}`")


def _copy(name: str) -> Found:
    says = f"`{name}` is a sync client's conflicted copy"
    return warning("MF211", file=name, says=says, hint="merge what it holds")


def _pointer(name: str) -> Found:
    return error("MF108", file=name, says=_LFS)


def _named(name: str, *found: Found) -> Case:
    """A page of some name, alone in its field."""
    return zipped("MF201", name.encode("unicode_escape").decode(), archive({name: page()}), *found)


COLLISIONS = (
    _files(
        "MF106", "names that differ", {"pan.png": "", "pan-large.png": "", "i.txt": "", "l.txt": ""}
    ),
    _files(
        "MF106", "case", {"Pan.png": "", "pan.png": ""}, _collides("pan.png", "Pan.png", "case")
    ),
    _files(
        "MF106",
        "three names",
        {"PAN.png": "", "Pan.png": "", "pan.png": ""},
        _collides("Pan.png", "PAN.png", "case"),
        _collides("pan.png", "PAN.png", "case"),
    ),
    _files(
        "MF106",
        "normalisation",
        {_COMPOSED: "", _DECOMPOSED: ""},
        _collides(_COMPOSED, _DECOMPOSED, "Unicode normalisation"),
    ),
    _files(
        "MF106",
        "case and normalisation",
        {_COMPOSED.upper(): "", _DECOMPOSED: ""},
        _collides(_DECOMPOSED, _COMPOSED.upper(), "case"),
    ),
    _files(
        "MF106",
        "full case folding",
        {"straße": "", "STRASSE": ""},
        _collides("straße", "STRASSE", "case"),
    ),
    _files(
        "MF106",
        "indexes too",
        {COMMON: OTHER_TABLE, COMMON.upper(): "x"},
        _collides(COMMON, COMMON.upper(), "case"),
    ),
    _files(
        "MF106",
        "pages",
        {"A.md": page(number=1)},
        _collides("a.md", "A.md", "case"),
        error(
            "MF201",
            file="A.md",
            says="it holds `A`",
            hint="rename it to `a.md`, or to another name: that one is taken",
        ),
    ),
)

RESERVED = (
    _files(
        "MF107",
        "names that are near",
        {
            "console.md": page(number=1),
            "com10.txt": "",
            "lpt.txt": "",
            "aux-x.md": page(number=2),
            "x.con": "",
        },
    ),
    _files("MF107", "a page", {"con.md": page(number=1)}, _reserved("con.md", "con")),
    _files(
        "MF107",
        "up to the first dot",
        {"nul.tar.md": page(number=1)},
        _bad("nul.tar.md", "it holds `.`", "nul-tar.md"),
        _reserved("nul.tar.md", "nul"),
    ),
    _files(
        "MF107",
        "digits that are raised",
        {"com¹.md": page(number=1), "LPT³": ""},
        _bad("com¹.md", "it holds `¹`", "com1.md")._replace(fixable=False),
        _reserved("com¹.md", "com¹"),
        _reserved("LPT³", "LPT³"),
    ),
    _files(
        "MF107",
        "every device",
        dict.fromkeys(("AUX", "Prn.txt", "conin$", "CONOUT$.x", "com0.a.b", "COM9", "lpt5"), ""),
        _reserved("AUX", "AUX"),
        _reserved("Prn.txt", "Prn"),
        _reserved("conin$", "conin$"),
        _reserved("CONOUT$.x", "CONOUT$"),
        _reserved("com0.a.b", "com0"),
        _reserved("COM9", "COM9"),
        _reserved("lpt5", "lpt5"),
    ),
)

POINTERS = (
    _files("MF108", "1024 bytes are no pointer", {"x.bin": _POINTER.ljust(1024, "x")}),
    _files("MF108", "not at the beginning", {"x.bin": "\n" + _POINTER}),
    one("MF108", "a page that quotes one", page(f"```\n{_POINTER}```\nhttps://example.com\n")),
    one("MF108", "a page", _POINTER, _pointer("a.md")),
    folder("MF108", "index.md", {"index.md": _POINTER}, _pointer("index.md")),
    _files(
        "MF108",
        "an attachment of 1023 bytes",
        {"x.bin": _POINTER.ljust(1023, "x")},
        _pointer("x.bin"),
    ),
    _files("MF108", "an index", {COMMON: _POINTER}, _pointer(COMMON)),
    _files(
        "MF108",
        "its name is judged all the same",
        {"B.md": _POINTER},
        _bad("B.md", "it holds `B`", "b.md"),
        _pointer("B.md"),
    ),
)

PAGE_NAMES = (
    *map(_named, ("a.md", "7.md", "a--b.md", "2026-03-01-notes.md", "index.md", "x" * 200 + ".md")),
    _named("A.md", _bad("A.md", "it holds `A`", "a.md")),
    _named("a_b.md", _bad("a_b.md", "it holds `_`", "a-b.md")),
    _named("a b.md", _bad("a b.md", "it holds ` `", "a-b.md")),
    _named("a.b.md", _bad("a.b.md", "it holds `.`", "a-b.md")),
    _named("-a.md", _bad("-a.md", "it begins or ends with a hyphen", "a.md")),
    _named("a-.md", _bad("a-.md", "it begins or ends with a hyphen", "a.md")),
    _named(
        "-.md",
        _bad("-.md", "it begins or ends with a hyphen", "page.md")._replace(fixable=False),
    ),
    _named(
        "Crème brûlée.md",
        _bad("Crème brûlée.md", "it holds ` `, `C`, `è`, `é`, `û`", "creme-brulee.md"),
    ),
    _named("Straße.md", _bad("Straße.md", "it holds `S`, `ß`", "strasse.md")),
    _named("鍋.md", _bad("鍋.md", "it holds `鍋`", "page.md")._replace(fixable=False)),
    _named("a٣.md", _bad("a٣.md", "it holds `٣`", "a.md")._replace(fixable=False)),
    _named(
        "a(b)[c]{d}!.md",
        _bad("a(b)[c]{d}!.md", "it holds `!`, `(`, `)`, `[`, `]` and more", "a-b-c-d.md"),
    ),
    _named(
        "\u202ea.md",
        _bad("\\u{202e}a.md", "it holds `\\u{202e}`", "a.md")._replace(file="\u202ea.md"),
    ),
    _named(
        "a\u200b.md",
        _bad("a\\u{200b}.md", "it holds `\\u{200b}`", "a.md")._replace(file="a\u200b.md"),
    ),
    folder(
        "MF201",
        "a line feed",
        {"a\n.md": page()},
        _bad(r"a\n.md", r"it holds `\n`", "a.md")._replace(file="a\n.md"),
    ),
)

LOOKALIKES = (
    _files(
        "MF210", "other endings", {"b.txt": "", "b.md.txt": "", "md": "", "bmd": "", "b.mdown": ""}
    ),
    _files(
        "MF210",
        "in capitals",
        {"B.MD": "", "c.Md": ""},
        _lookalike("B.MD", "b.md"),
        _lookalike("c.Md", "c.md"),
    ),
    _files(
        "MF210",
        "the name is taken",
        {"a.mD": ""},
        _lookalike("a.mD", "a.md")._replace(
            hint="to `a.md`, or to another name: that one is taken"
        ),
        _collides("a.md", "a.mD", "case"),
    ),
    _files(
        "MF210",
        "other Markdown",
        {"b.markdown": "", "c.MDX": "", "d.mdx": ""},
        _lookalike("b.markdown", "b.md"),
        _lookalike("c.MDX", "c.md"),
        _lookalike("d.mdx", "d.md"),
    ),
)

COPIES = (
    _files("MF211", "words that are near", {"conflicted.txt": "", "copy.txt": ""}),
    _files(
        "MF211",
        "conflicted copies",
        {
            "b (Ann's conflicted copy 2026-03-01).md": page(number=1),
            "Conflicted Copy.png": "",
        },
        _copy("b (Ann's conflicted copy 2026-03-01).md"),
        _copy("Conflicted Copy.png"),
    ),
)

CASES = (*COLLISIONS, *RESERVED, *POINTERS, *PAGE_NAMES, *LOOKALIKES, *COPIES)
