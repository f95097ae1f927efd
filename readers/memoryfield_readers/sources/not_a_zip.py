"""What a file that should be an archive is instead, for messages that help (MF601)."""

from __future__ import annotations

from ..errors import Fault
from ..lfs import is_lfs_pointer

HEAD_BYTES = 512
_HTML_STARTS = (b"<!doctype html", b"<html", b"<head", b"<?xml")
_OTHER_FORMATS = (
    (b"\x1f\x8b", "gzip data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"%PDF", "a PDF document"),
    (b"SQLite format 3\x00", "an SQLite database"),
)


def describe(head: bytes, size: int) -> Fault:
    """The fault of a file without an end record.

    Arguments:
        head: its first bytes, up to HEAD_BYTES of them.
        size: its length in bytes.
    """
    if size == 0:
        return _fault("the file is empty (0 bytes)", "download or build the archive again")
    if is_lfs_pointer(head):
        return _fault("a Git LFS pointer, not the archive it points to", "run `git lfs pull`")
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(_HTML_STARTS):
        return _fault(
            "an HTML page, not a ZIP file: perhaps an error or login page that was saved",
            "open the address in a browser to see what it answers",
        )
    if head.startswith(b"PK"):
        return _fault(
            "truncated: it begins like a ZIP file, but has no end record",
            "download it again and compare the size",
        )
    for magic, name in _OTHER_FORMATS:
        if head.startswith(magic):
            return _fault(f"{name}, not a ZIP file", "pack the field as a ZIP file")
    if b"\x00" not in head:
        return _fault(
            "text, not a ZIP file", "give the folder that holds the pages, or an archive of it"
        )
    return _fault("not a ZIP file: it has no end record", "pack the field as a ZIP file")


def _fault(message: str, hint: str) -> Fault:
    return Fault("MF601", message, hint=hint)
