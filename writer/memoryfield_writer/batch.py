"""A batch: what is to be changed in a field, as values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias


@dataclass(frozen=True, slots=True)
class AddPage:
    """A page that is not there yet.

    Attributes:
        name: its file name.
        text: what it holds; text is written as UTF-8.
    """

    op: ClassVar[str] = "add"
    name: str
    text: str | bytes


@dataclass(frozen=True, slots=True)
class AddAttachment:
    """An attachment that is not there yet.

    Attributes:
        name: its file name.
        data: what it holds.
    """

    op: ClassVar[str] = "add"
    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class ReplacePage:
    """Another text for a page that is there.

    Attributes:
        name: its file name.
        text: what it holds in future; text is written as UTF-8.
        if_sha256: the SHA-256, in hexadecimal, that it must have when its turn comes; None for any.
    """

    op: ClassVar[str] = "replace"
    name: str
    text: str | bytes
    if_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class ReplaceAttachment:
    """Other bytes for an attachment that is there; see `ReplacePage`."""

    op: ClassVar[str] = "replace"
    name: str
    data: bytes
    if_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class ReplaceText:
    """Another text for one that stands exactly once in a page, or in all pages (MF907).

    Attributes:
        old: the text to replace, frontmatter included, compared byte for byte; not empty.
        new: what stands there in future.
        name: the page; None for the one page of the field that has it.
        if_sha256: as in `ReplacePage`; only with a name.
    """

    op: ClassVar[str] = "replace-text"
    old: str
    new: str
    name: str | None = None
    if_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class RemovePage:
    """A page that goes; see `ReplacePage`."""

    op: ClassVar[str] = "remove"
    name: str
    if_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class RemoveAttachment:
    """An attachment, or a vector index, that goes; see `ReplacePage`."""

    op: ClassVar[str] = "remove"
    name: str
    if_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class RenamePage:
    """A page that gets a name that is free.

    Attributes:
        name: its file name.
        to: its new one.
        if_sha256: as in `ReplacePage`.
    """

    op: ClassVar[str] = "rename"
    name: str
    to: str
    if_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class RenameAttachment:
    """An attachment that gets a name that is free; see `RenamePage`."""

    op: ClassVar[str] = "rename"
    name: str
    to: str
    if_sha256: str | None = None


Operation: TypeAlias = (
    AddPage
    | AddAttachment
    | ReplacePage
    | ReplaceAttachment
    | ReplaceText
    | RemovePage
    | RemoveAttachment
    | RenamePage
    | RenameAttachment
)


@dataclass(frozen=True, slots=True)
class Batch:
    """Operations that are done one after the other, and all of them or none (MF906).

    Attributes:
        operations: what is done; each sees what those before it have made.
    """

    operations: tuple[Operation, ...]

    def __init__(self, operations: Iterable[Operation] = ()) -> None:
        object.__setattr__(self, "operations", tuple(operations))

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.operations)

    def __len__(self) -> int:
        return len(self.operations)

    @classmethod
    def from_json(cls, value: str | bytes | Mapping[str, Any]) -> Batch:
        """A batch from JSON (schema "batch"), as text or parsed.

        Raises:
            InvalidBatch: it is no JSON, or means nothing; the message says where.
        """
        from .batch_json import read_batch

        return read_batch(value)

    def to_json(self) -> dict[str, Any]:
        """The batch as `from_json` takes it; content that is no UTF-8 text is written as Base64."""
        from .batch_json import batch_as_json

        return batch_as_json(self)
