"""Operations for a file of which only the name is known: a page, or an attachment."""

from __future__ import annotations

from memoryfield_readers.names import PAGE_SUFFIX

from .batch import (
    AddAttachment,
    AddPage,
    Operation,
    RemoveAttachment,
    RemovePage,
    ReplaceAttachment,
    ReplacePage,
)


def is_page(name: str) -> bool:
    """Whether a file of that name is a page (MF901)."""
    return name.endswith(PAGE_SUFFIX)


def added(name: str, content: bytes) -> Operation:
    """What adds a file."""
    return AddPage(name, content) if is_page(name) else AddAttachment(name, content)


def replaced(name: str, content: bytes, if_sha256: str | None = None) -> Operation:
    """What replaces a file; see `ReplacePage`."""
    if is_page(name):
        return ReplacePage(name, content, if_sha256)
    return ReplaceAttachment(name, content, if_sha256)


def removed(name: str) -> Operation:
    """What removes a file."""
    return RemovePage(name) if is_page(name) else RemoveAttachment(name)
