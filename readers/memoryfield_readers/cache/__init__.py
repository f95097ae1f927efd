"""The cache: blobs named by their SHA-256, shared by processes, and proved each time they are used.

    <dir>/CACHEDIR.TAG
    <dir>/v1/objects/ab/<the other 62 digits>   a blob, read-only
    <dir>/v1/partial/                           downloads and blobs that are not finished
    <dir>/v1/locks/                             one process at a time; these files stay for ever

Nothing that stands there is believed: a file is handed out if it has the hash that is its name.
"""

from __future__ import annotations

from .damaged import DamagedObject
from .pruning import Pruned
from .scanning import CacheInfo
from .sizes import parse_size, size_text
from .store import Cache

__all__ = ["Cache", "CacheInfo", "DamagedObject", "Pruned", "parse_size", "size_text"]
