"""From what a person gives to the fields that are meant, one by one and never all in memory."""

from __future__ import annotations

from .given import targets

__all__ = ["targets"]
