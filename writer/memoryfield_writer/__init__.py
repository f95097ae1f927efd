"""From a field and a batch of edits to a new field, whole or not at all; archives, packed anew.

from memoryfield_writer import AddPage, Batch, ReplaceText, apply

applied = apply("my-field/", Batch([AddPage("x.md", "# X\n"), ReplaceText("old", "new")]))
print(applied.digest, applied.changes)
"""

from __future__ import annotations

from memoryfield_readers.holding import DEFAULT_WAIT

from .applying import apply
from .batch import (
    AddAttachment,
    AddPage,
    Batch,
    Operation,
    RemoveAttachment,
    RemovePage,
    RenameAttachment,
    RenamePage,
    ReplaceAttachment,
    ReplacePage,
    ReplaceText,
)
from .founding import Founded, found
from .packing import Packed, pack
from .recovering import Recovered, recover
from .repacking import repack
from .result import Applied, Change
from .unpacking import Unpacked, unpack

__all__ = [
    "DEFAULT_WAIT",
    "AddAttachment",
    "AddPage",
    "Applied",
    "Batch",
    "Change",
    "Founded",
    "Operation",
    "Packed",
    "Recovered",
    "RemoveAttachment",
    "RemovePage",
    "RenameAttachment",
    "RenamePage",
    "ReplaceAttachment",
    "ReplacePage",
    "ReplaceText",
    "Unpacked",
    "apply",
    "found",
    "pack",
    "recover",
    "repack",
    "unpack",
]
