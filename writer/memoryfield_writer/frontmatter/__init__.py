"""Frontmatter that is filled in for a new page and kept across edits, line by line (MF909).

raw = filled(b"# Steel woks\n", "steel-woks.md", now)      # title, uuid, created, updated
raw = renewed(raw, raw.replace(b"woks", b"pans"), now)     # `updated` alone is another one
"""

from __future__ import annotations

from .filling import filled
from .renewing import renewed

__all__ = ["filled", "renewed"]
