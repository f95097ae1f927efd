"""Whether a server stands on this machine, and whether anything listens there."""

from __future__ import annotations

import ipaddress
import socket


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its very name: no proxy is asked for such."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def listens(host: str, port: int, seconds: float) -> bool:
    """Whether something takes a connection within so many seconds."""
    try:
        with socket.create_connection((host, port), timeout=seconds):
            return True
    except OSError:
        return False
