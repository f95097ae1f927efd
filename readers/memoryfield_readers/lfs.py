"""Git LFS pointers: small texts that stand where content should be (MF108)."""

from __future__ import annotations

MOST_POINTER_BYTES = 1023
_BEGINNING = b"version https://git-lfs.github.com/spec/v"


def is_lfs_pointer(data: bytes) -> bool:
    """Whether content is a Git LFS pointer rather than what it points to."""
    return len(data) <= MOST_POINTER_BYTES and data.startswith(_BEGINNING)
