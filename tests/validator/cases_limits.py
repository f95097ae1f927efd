"""What obeys and breaks MF607 and MF608: fields that are too large, or wrapped in a folder."""

from __future__ import annotations

from tests.validator.cases import Case, Found, error, folder, info, warning, zipped
from tests.validator.fields import Files, archive, page
from tests.validator.index_files import COMMON

from memoryfield_readers import Limits
from memoryfield_validator.conformance.raw_zip import DEFLATED

_NO_PAGE = error("MF101", file=None, says="there is no page")


def _whole(rule: str, says: str, hint: str | None = None) -> Found:
    """A finding about the field as a whole."""
    return error(rule, file=None, says=says, hint=hint)


def _limit(what: str, limits: Limits, files: Files, *found: Found) -> tuple[Case, Case]:
    """The same field as a folder and as an archive."""
    return (
        folder("MF607", f"{what}, in a folder", files, *found, limits=limits),
        zipped("MF607", f"{what}, in an archive", archive(files), *found, limits=limits),
    )


_TWO: Files = {"a.md": page(), "b.png": "x" * 300}
_TOTAL = Limits(total_bytes=299 + len(page()))
_RAISE = "raise the limit with --limit"

LIMITS = (
    *_limit(
        "as much as is allowed",
        Limits(entries=2, page_bytes=len(page()), file_bytes=300, total_bytes=300 + len(page())),
        _TWO,
    ),
    *_limit(
        "a page",
        Limits(page_bytes=len(page()) - 1),
        _TWO,
        error("MF607", says=f"{len(page())} bytes, over the limit", hint=_RAISE),
    ),
    *_limit("entries", Limits(entries=1), _TWO, _whole("MF607", "entries", _RAISE)),
    folder(
        "MF607",
        "files in sub-directories",
        {"a.md": page(), "x/b": "", "x/c": ""},
        _whole("MF607", "more than 3 entries", _RAISE),
        info("MF103", file="x/", says="sub-directory"),
        limits=Limits(entries=3),
    ),
    folder(
        "MF607",
        "a file, in a folder",
        _TWO,
        error("MF607", file="b.png", says="300 bytes, over the limit of 299", hint=_RAISE),
        limits=Limits(file_bytes=299),
    ),
    folder(
        "MF607",
        "an index, in a folder",
        {"a.md": page(), COMMON: "x" * 300},
        error("MF607", file=COMMON, says="300 bytes, over the limit of 299", hint=_RAISE),
        limits=Limits(file_bytes=299),
    ),
    zipped(
        "MF607",
        "a file, in an archive",
        archive(_TWO),
        error("MF607", file="b.png", says="300 bytes, over the limit of 299", hint=_RAISE),
        limits=Limits(file_bytes=299),
    ),
    folder(
        "MF607",
        "all files, in a folder",
        _TWO,
        _whole("MF607", "bytes in all", _RAISE),
        limits=_TOTAL,
    ),
    zipped(
        "MF607",
        "all files, in an archive",
        archive(_TWO),
        _whole("MF607", "bytes in all", _RAISE),
        limits=_TOTAL,
    ),
    zipped(
        "MF607",
        "the directory",
        archive(_TWO),
        _whole("MF607", "a central directory of", _RAISE),
        limits=Limits(directory_bytes=90),
    ),
    zipped(
        "MF607",
        "the ratio",
        archive({"a.md": page(), "b.png": bytes(1_048_577)}, DEFLATED),
        error("MF607", file="b.png", says="more than 100 to 1", hint=_RAISE),
    ),
    zipped(
        "MF607",
        "any ratio up to a MiB",
        archive({"a.md": page(), "b.png": bytes(1_048_576)}, DEFLATED),
    ),
)


_WRAPPED = _NO_PAGE._replace(hint="see MF608")


def _wrapped(what: str, files: Files, says: str, hint: str, *found: Found) -> Case:
    return zipped("MF608", what, archive(files), _WRAPPED, _whole("MF608", says, hint), *found)


WRAPPED = (
    zipped(
        "MF608",
        "a page at the root",
        archive({"a.md": page(), "x/b.md": ""}),
        warning("MF102", file="x/b.md", says="`x/`"),
        info("MF103", file="x/", says="sub-directory"),
    ),
    zipped(
        "MF608",
        "two folders",
        archive({"x/a.md": "", "y/b.md": ""}),
        _whole("MF101", "no page", "pages in `x/`, `y/`"),
        *(warning("MF102", file=f, says="stands in") for f in ("x/a.md", "y/b.md")),
        *(info("MF103", file=f, says="sub-directory") for f in ("x/", "y/")),
    ),
    zipped(
        "MF608",
        "debris alone in the folder",
        archive({"x/.a.md": ""}),
        _NO_PAGE,
        warning("MF104", file="x/.a.md", says="debris"),
        info("MF103", file="x/", says="sub-directory"),
    ),
    folder(
        "MF608",
        "a folder is not wrapped",
        {"x/a.md": ""},
        _whole("MF101", "no page", "pages in `x/`"),
        warning("MF102", file="x/a.md", says="`x/`"),
        info("MF103", file="x/", says="sub-directory"),
    ),
    _wrapped(
        "one page",
        {"my-field/a.md": page()},
        "the only page is wrapped in the folder `my-field/`",
        "(cd my-field && zip -X ../my-field.memoryfield.zip *)",
    ),
    _wrapped(
        "pages at any depth",
        {"x/a.md": "", "x/y/b.md": "", "x/c.png": ""},
        "all 2 pages are wrapped in the folder `x/`",
        "cd x ",
    ),
    _wrapped(
        "other things beside it",
        {"x/a.md": "", "b.png": "", "y/c": "", "__MACOSX/x/._a.md": ""},
        "the only page is wrapped in the folder `x/`",
        "cd x ",
        info("MF103", file="y/", says="sub-directory"),
        warning("MF104", file="__MACOSX/", says="debris"),
    ),
    _wrapped(
        "a name that is no word to a shell",
        {"a b; rm -rf 'x'/c.md": ""},
        "wrapped in the folder",
        "(cd 'a b; rm -rf '\"'\"'x'\"'\"'' && zip -X '../a b",
    ),
)

CASES = (*LIMITS, *WRAPPED)
