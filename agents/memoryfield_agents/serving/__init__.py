"""Fields served over HTTP, to be read and no more (MF701 to MF708)."""

from __future__ import annotations

from .settings import DEFAULT_SETTINGS, Settings

__all__ = ["DEFAULT_SETTINGS", "Settings"]
