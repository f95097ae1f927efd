"""Archives that are the same everywhere (SPEC.md): what bytes they have, and which are such.

from memoryfield_readers import open_field
from memoryfield_readers.canonical_archive import canonical_archive

with open_field("handbook/") as field:
    archive = canonical_archive(field)
    print(archive.size, archive.sha256)
"""

from __future__ import annotations

from .archive import CanonicalArchive, canonical_archive, names_packed
from .form import CanonicalForm, header_of, is_canonical

__all__ = [
    "CanonicalArchive",
    "CanonicalForm",
    "canonical_archive",
    "header_of",
    "is_canonical",
    "names_packed",
]
