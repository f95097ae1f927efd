"""Fields that are pinned, brought here and proved: into the cache, or into a folder."""

from __future__ import annotations

from .archive import fetch_archive
from .fields import JOBS, Fetched, Fetching, fetch_fields, keep
from .out import write_out
from .requests import FetchRequest, contradictions, parse_request

__all__ = [
    "JOBS",
    "FetchRequest",
    "Fetched",
    "Fetching",
    "contradictions",
    "fetch_archive",
    "fetch_fields",
    "keep",
    "parse_request",
    "write_out",
]
