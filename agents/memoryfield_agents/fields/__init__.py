"""Fields that are held open for agents: snapshots, named, and searched."""

from __future__ import annotations

from .held import HeldField, hold
from .requests import AmbiguousName, Request, requests_of
from .shelf import Shelf, UnknownField

__all__ = [
    "AmbiguousName",
    "HeldField",
    "Request",
    "Shelf",
    "UnknownField",
    "hold",
    "requests_of",
]
