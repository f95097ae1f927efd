"""What a mismatch seems to come from: people switch off a check that only says "mismatch"."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable

from ..display import shown
from ..errors import PageError, PinMismatch, UnsafeArchive
from ..http.html_document import HEAD_BYTES, is_html_document
from ..lfs import is_lfs_pointer
from ..page import UTF8_BOM

GZIP_MAGIC = b"\x1f\x8b"
GZIP_BITS = 16 + zlib.MAX_WBITS
"""What tells zlib that a stream is one of gzip."""

_MOST_INFLATED = 64 * 1024 * 1024
_HTML = {"content-type": "text/html"}
_MOST_NAMED = 5
_OFTEN_HTML = (".html", ".htm", ".xhtml", ".php")
_OFTEN_GZIP = (".gz", ".tgz", ".svgz")
"""Files whose names end so are that when they are what they should be."""

CHANGED = "its content is another"
NO_ARCHIVE_ANY_MORE = "there is no archive any more"
GZIPPED = "what came is compressed by gzip"
EMPTY_CAME = "an empty response or file came"
HTML_CAME = "an HTML page came in its place, perhaps to log in or an error page"
LFS_CAME = "a Git LFS pointer came in place of the content: fetch it with `git lfs pull`"
STILL_GZIPPED = "it is still compressed by gzip"
CUT_OFF = "it is cut off"
OTHER_PIN = "this is its other pin, of"
_NO_HINT = "review what it says now before you pin it anew; no option lets a reader pass over a pin"
_HINTS = (
    (EMPTY_CAME, "fetch it again, and see whether its source has it"),
    (HTML_CAME, "open the address in a browser to see what it answers"),
    ("an HTML page", "open the address in a browser to see what it answers"),
    (LFS_CAME, "`git lfs pull` brings the content, or have the archive served by what knows LFS"),
    (STILL_GZIPPED, "unpack it with gunzip, or have the server send it as it is"),
    (GZIPPED, "unpack it with gunzip, or have the server send it as it is"),
    (CUT_OFF, "fetch it again"),
    (OTHER_PIN, "give the same digits with what stands before them in the message"),
)
"""What to do, by what a diagnosis begins with."""

LINE_ENDS = "only its line ends differ, as after a checkout or an editor that converts them"
LINE_ENDS_HINT = "with git, `* -text` in .gitattributes keeps line ends as they are"


def mismatch(
    diagnosis: str,
    *,
    expected: str,
    actual: str,
    location: str | None,
    entry: str | None = None,
    size: int | None = None,
    url: str | None = None,
    hint: str | None = None,
) -> PinMismatch:
    """The error that says what was expected, what came, and what seems to have happened."""
    came = f"{actual}, {size} bytes" if size is not None else actual
    where = f", from {url}" if url and url != location else ""
    message = f"is not what was pinned: {diagnosis}; expected {expected}, got {came}{where}"
    return PinMismatch(
        message,
        location=location,
        entry=entry,
        hint=hint or _hint(diagnosis),
        expected=expected,
        actual=actual,
        size=size,
        url=url,
        diagnosis=diagnosis,
    )


def _hint(diagnosis: str) -> str:
    return next((hint for start, hint in _HINTS if diagnosis.startswith(start)), _NO_HINT)


def hint_for_locked(error: PinMismatch, name: str) -> None:
    """Where nothing better is known, say what to do about a field of a lock file.

    Arguments:
        error: what came is not what was locked.
        name: of the field.
    """
    if error.hint == _NO_HINT:
        error.hint = (
            f"`memoryfield diff @{name}` shows what differs, and `memoryfield lock update {name}` "
            "locks what is there now, once it is reviewed"
        )


def mismatch_of_file(
    data: bytes, expected: str, *, location: str, entry: str, url: str | None = None
) -> PinMismatch:
    """The error of one file of a field whose bytes are not those that were pinned.

    Arguments:
        data: all bytes that came.
        expected: the SHA-256 they should have, in hexadecimal.
        location: of the field, as messages show it.
        entry: the name of the file.
        url: where they came from in the end; None where that says nothing.
    """
    diagnosis, hint = diagnosed(
        data, lambda other: hashlib.sha256(other).hexdigest() == expected, name=entry
    )
    return mismatch(
        diagnosis,
        expected=f"sha256:{expected}",
        actual=f"sha256:{hashlib.sha256(data).hexdigest()}",
        location=location,
        entry=entry,
        size=len(data),
        url=url,
        hint=hint,
    )


def mismatch_of_error(
    error: PageError | UnsafeArchive,
    expected: str,
    *,
    location: str,
    entry: str | None,
    actual: str = "no such file",
    url: str | None = None,
) -> PinMismatch:
    """The error of what came in place of something that was pinned, and cannot be read as that.

    Arguments:
        error: why it cannot be read.
        expected: the pin or the hash that was wanted.
        location: of the field, as messages show it.
        entry: the name of the file; None where only the error says that, perhaps.
        actual: what came instead.
        url: where it came from in the end; None where that says nothing.
    """
    why = error.faults[0].message if isinstance(error, UnsafeArchive) else error.message
    return mismatch(
        why,
        expected=expected,
        actual=actual,
        location=location,
        entry=entry or error.entry,
        url=url,
    )


def diagnosed(
    data: bytes, fits: Callable[[bytes], bool], *, name: str = ""
) -> tuple[str, str | None]:
    """What seems to have happened to the bytes of a file, and a hint if there is one for that.

    Arguments:
        data: the bytes that came.
        fits: whether other bytes would have been the right ones.
        name: the name of the file.
    """
    found = not_a_file(data[:HEAD_BYTES], len(data), name)
    if found is not None:
        return found, None
    if data.startswith(GZIP_MAGIC):
        inflated = _inflated(data)
        if inflated is not None and fits(inflated):
            return f"{STILL_GZIPPED}; what is inside would match", None
    for change, other in variants(data):
        if fits(other):
            return change, LINE_ENDS_HINT if change == LINE_ENDS else None
    if data.startswith(GZIP_MAGIC) and not name.lower().endswith(_OFTEN_GZIP):
        return GZIPPED, None
    return CHANGED, None


def not_a_file(head: bytes, size: int, name: str = "") -> str | None:
    """What came in place of a file, if its first bytes tell; None if nothing is odd about them."""
    if size == 0:
        return EMPTY_CAME
    if is_html_document(_HTML, head) and not name.lower().endswith(_OFTEN_HTML):
        return HTML_CAME
    if size <= HEAD_BYTES and is_lfs_pointer(head):
        return LFS_CAME
    return None


def variants(data: bytes) -> Iterable[tuple[str, bytes]]:
    """What the bytes may have been before something well-meaning changed them, and its name."""
    unix = data.replace(b"\r\n", b"\n")
    if unix != data:
        yield LINE_ENDS, unix
    windows = unix.replace(b"\n", b"\r\n")
    if windows != data:
        yield LINE_ENDS, windows
    if data.startswith(UTF8_BOM):
        yield "only a byte-order mark was put before it", data.removeprefix(UTF8_BOM)
    else:
        yield "only the byte-order mark before it is gone", UTF8_BOM + data


def mismatch_of_names(
    missing: Iterable[str], added: Iterable[str], *, location: str, expected: str
) -> PinMismatch:
    """The error of a field that has other files than its manifest names."""
    missing, added = list(missing), list(added)
    parts = []
    if missing:
        parts.append(f"{_names(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    if added:
        parts.append(f"{_names(added)} {'was' if len(added) == 1 else 'were'} added")
    diagnosis = " and ".join(parts)
    return PinMismatch(
        f"is not what was pinned: {diagnosis}; expected {expected}",
        location=location,
        entry=(missing or added)[0],
        hint=_NO_HINT,
        expected=expected,
        diagnosis=diagnosis,
    )


def _names(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(map(shown, names[:_MOST_NAMED])) + more


def _inflated(data: bytes) -> bytes | None:
    try:
        inflater = zlib.decompressobj(GZIP_BITS)
        inflated = inflater.decompress(data, _MOST_INFLATED)
    except zlib.error:
        return None
    return inflated if inflater.eof else None
