"""Vector indexes as files: their tables, how they are written, and how they are read safely."""

from __future__ import annotations

from .index import Index, Row
from .meta import Meta
from .opening import open_index, open_shipped
from .schema import file_name
from .writing import IndexWriter

__all__ = ["Index", "IndexWriter", "Meta", "Row", "file_name", "open_index", "open_shipped"]
