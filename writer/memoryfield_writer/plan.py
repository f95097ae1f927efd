"""What has to be done to files so that a batch is applied: worked out before anything is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memoryfield_readers import Manifest

from .result import Change


@dataclass(frozen=True, slots=True)
class Put:
    """A file as it is to be.

    Attributes:
        content: its bytes.
        was: the path of the file whose mode and owner it takes over, in an archive whose
            compression method; None for a new file.
        moved: whether it is that file under another name: its time is kept, too.
    """

    content: bytes
    was: str | None = None
    moved: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """The difference between a field and what a batch makes of it.

    Attributes:
        puts: the files to write, by their path below the root. All stand at the root, but for what
            a symbolic link at the root leads to, which is written in the link's place.
        removes: the paths of the files that go.
        changes: the same as a person sees it.
        manifest: of the field afterwards.
    """

    puts: Mapping[str, Put]
    removes: tuple[str, ...]
    changes: tuple[Change, ...]
    manifest: Manifest
