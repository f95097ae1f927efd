"""A store that is an SQLite database."""

from __future__ import annotations

from .backend import SqliteBackend
from .filling import sqlite_image

__all__ = ["SqliteBackend", "sqlite_image"]
