"""Pins: what they are, how bytes are proved by them, and what a mismatch seems to come from."""

from __future__ import annotations

from .pin import Pin, PinKind, Pins, parse_pin, parse_pins

__all__ = ["Pin", "PinKind", "Pins", "parse_pin", "parse_pins"]
