"""The same job over many fields, on this machine or on a Dask cluster."""

from __future__ import annotations

from .values import KINDS, Job, Kind, Refused, Row, State, Target

__all__ = ["KINDS", "Job", "Kind", "Refused", "Row", "State", "Target"]
