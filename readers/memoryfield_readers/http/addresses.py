"""Which addresses anyone may be sent to: those that the whole internet can reach."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

_NAT64 = IPv6Network("64:ff9b::/96")
_UNICAST = IPv6Network("2000::/3")


def is_public(address: str) -> bool:
    """Whether an address, as a socket names it, is one of the public internet.

    Addresses that hold another one (IPv4-mapped, NAT64, 6to4, Teredo) are as public as that one.
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, IPv6Address):
        if found in _NAT64:
            return _is_public_v4(IPv4Address(int(found) & 0xFFFF_FFFF))
        held = [found.ipv4_mapped, found.sixtofour, *(found.teredo or ())]
        within = [each for each in held if each is not None]
        if found.ipv4_mapped is not None:
            return _is_public_v4(found.ipv4_mapped)
        return found in _UNICAST and found.is_global and all(map(_is_public_v4, within))
    return _is_public_v4(found)


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is this machine's own, whatever a name server says."""
    name = host.lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        found = ip_address(name.partition("%")[0])
    except ValueError:
        return False
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return (mapped or found).is_loopback


def may_be_public(host: str) -> bool:
    """Whether nothing in a host's name says that it is not public; names must be looked up yet."""
    if is_loopback(host):
        return False
    try:
        numbers = socket.inet_aton(host)  # knows all spellings that the system knows: 127.1
    except (OSError, ValueError):
        return is_public(host) if ":" in host else True
    return _is_public_v4(IPv4Address(numbers))


def _is_public_v4(address: IPv4Address) -> bool:
    return address.is_global and not address.is_multicast and not address.is_reserved
