"""What makes vectors of pages and questions, behind one protocol (`values.Embedder`)."""

from __future__ import annotations

from .choosing import choose
from .options import Options

__all__ = ["Options", "choose"]
