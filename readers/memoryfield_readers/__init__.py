"""From a location to a `Field`: sources, safety limits, frontmatter, digests.

from memoryfield_readers import open_field

with open_field("handbook.memoryfield.zip") as field:
    print(field.digest())
    print(field.page("index.md").frontmatter.fields)
"""

from __future__ import annotations

from .archive_image import ArchiveImage, ImageEntry
from .display import as_unicode, shown, visible, visible_lines
from .entry import Entry, EntryKind, name_key
from .errors import (
    HARMLESS_FAULTS,
    AccessDenied,
    AmbiguousMatch,
    BatchRejected,
    EmbedderUnavailable,
    EmptyField,
    Fault,
    IndexMismatch,
    InvalidBatch,
    InvalidPin,
    LimitExceeded,
    LocationError,
    LockFileError,
    LockTimeout,
    MemoryfieldError,
    NotFound,
    PageError,
    PinMismatch,
    SourceChanged,
    SourceUnavailable,
    UnknownLimit,
    UnsafeArchive,
    WriteConflict,
)
from .field import Field
from .frontmatter import Frontmatter, FrontmatterError, FrontmatterState, read_frontmatter
from .lfs import MOST_POINTER_BYTES, is_lfs_pointer
from .limits import DEFAULT_LIMITS, Limits
from .manifest import Manifest
from .names import (
    ARCHIVE_SUFFIX,
    PAGE_NAME,
    is_debris,
    is_page_name,
    is_side_file,
    topmost_debris,
)
from .opening import PinText, inspect_field, local_path, memory_field, open_field
from .page import Page
from .pins import Pin, PinKind, Pins, parse_pin, parse_pins
from .source import Source
from .sources.links import NotFollowed, follow_link
from .sources.rooted import RootedFolder
from .text_position import Position
from .transfer.progress import Watch, unwatched

__all__ = [
    "ARCHIVE_SUFFIX",
    "DEFAULT_LIMITS",
    "HARMLESS_FAULTS",
    "MOST_POINTER_BYTES",
    "PAGE_NAME",
    "AccessDenied",
    "AmbiguousMatch",
    "ArchiveImage",
    "BatchRejected",
    "EmbedderUnavailable",
    "EmptyField",
    "Entry",
    "EntryKind",
    "Fault",
    "Field",
    "Frontmatter",
    "FrontmatterError",
    "FrontmatterState",
    "ImageEntry",
    "IndexMismatch",
    "InvalidBatch",
    "InvalidPin",
    "LimitExceeded",
    "Limits",
    "LocationError",
    "LockFileError",
    "LockTimeout",
    "Manifest",
    "MemoryfieldError",
    "NotFollowed",
    "NotFound",
    "Page",
    "PageError",
    "Pin",
    "PinKind",
    "PinMismatch",
    "PinText",
    "Pins",
    "Position",
    "RootedFolder",
    "Source",
    "SourceChanged",
    "SourceUnavailable",
    "UnknownLimit",
    "UnsafeArchive",
    "Watch",
    "WriteConflict",
    "as_unicode",
    "follow_link",
    "inspect_field",
    "is_debris",
    "is_lfs_pointer",
    "is_page_name",
    "is_side_file",
    "local_path",
    "memory_field",
    "name_key",
    "open_field",
    "parse_pin",
    "parse_pins",
    "read_frontmatter",
    "shown",
    "topmost_debris",
    "unwatched",
    "visible",
    "visible_lines",
]
