"""Searching fields: by vectors, by words, or by both."""

from __future__ import annotations

from .answering import Asked, How, search
from .matching import Embedders
from .results import Answer, Hit
from .standing import Standing

__all__ = ["Answer", "Asked", "Embedders", "Hit", "How", "Standing", "search"]
