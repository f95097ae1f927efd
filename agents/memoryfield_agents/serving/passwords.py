"""Passwords as text that does not give them away: `scrypt$n$r$p$salt$hash`."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from memoryfield_readers import LocationError, NotFound, shown

_N, _R, _P = 2**14, 8, 1
_HASH_BYTES = 32
_SALT_BYTES = 16
_MOST_MEMORY: Final = 128 * 1024 * 1024
_MOST_FILE: Final = 1024 * 1024
_MOST_WORK: Final = 2**20
MOST_PASSWORD: Final = 1024
"""Bytes of a password."""

_USER = re.compile("[^:\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,200}")


@dataclass(frozen=True, slots=True)
class PasswordHash:
    """What a password is compared with.

    Attributes:
        n, r, p: how much work it is.
        salt: what keeps equal passwords from having equal hashes.
        hash: the outcome.
    """

    n: int
    r: int
    p: int
    salt: bytes
    hash: bytes

    @classmethod
    def parse(cls, text: str) -> PasswordHash:
        """The hash in a text.

        Raises:
            ValueError: it is none, or would be too much work.
        """
        kind, *rest = text.split("$")
        if kind != "scrypt" or len(rest) != 5:
            raise ValueError("it is not of the form scrypt$n$r$p$salt$hash")
        if not all(each.isascii() and each.isdigit() and len(each) < 9 for each in rest[:3]):
            raise ValueError("n, r and p are not numbers")
        n, r, p = map(int, rest[:3])
        if n < 2 or n & (n - 1) or r < 1 or p < 1:
            raise ValueError("n is no power of two, or r or p is 0")
        if 128 * n * r > _MOST_MEMORY // 2 or n * r * p > _MOST_WORK:
            raise ValueError("it is more work than this server does for a request")
        try:
            salt, digest = (base64.b64decode(each, validate=True) for each in rest[3:])
        except binascii.Error:
            raise ValueError("salt or hash is not base64") from None
        if len(salt) < 8 or len(digest) != _HASH_BYTES:
            raise ValueError("salt or hash is too short")
        return cls(n, r, p, salt, digest)

    def __str__(self) -> str:
        salt, digest = (base64.b64encode(each).decode("ascii") for each in (self.salt, self.hash))
        return f"scrypt${self.n}${self.r}${self.p}${salt}${digest}"

    @property
    def work(self) -> int:
        """How much work it is, in steps."""
        return self.n * self.r * self.p

    def of_nobody(self) -> PasswordHash:
        """One that is as much work, and that no password is known to fit."""
        return replace(
            self, salt=secrets.token_bytes(_SALT_BYTES), hash=secrets.token_bytes(_HASH_BYTES)
        )

    def fits(self, password: bytes) -> bool:
        """Whether it is the hash of a password; the time it takes does not tell how near it is."""
        return hmac.compare_digest(self._of(password), self.hash)

    def _of(self, password: bytes) -> bytes:
        return hashlib.scrypt(
            password[:MOST_PASSWORD],
            salt=self.salt,
            n=self.n,
            r=self.r,
            p=self.p,
            maxmem=_MOST_MEMORY,
            dklen=_HASH_BYTES,
        )


def hashed(password: bytes) -> PasswordHash:
    """The hash of a password, with a new salt."""
    empty = PasswordHash(_N, _R, _P, secrets.token_bytes(_SALT_BYTES), b"")
    return PasswordHash(_N, _R, _P, empty.salt, empty._of(password))


def is_user(name: str) -> bool:
    """Whether a user may be called so: a colon would end the name."""
    return _USER.fullmatch(name) is not None and not name.startswith("#")


def read_users(path: Path) -> dict[str, str]:
    """The users of an auth file, with the texts of their hashes.

    Each line is `user:hash`; blank lines, and lines that begin with `#`, are passed over.

    Raises:
        NotFound: there is no such file.
        LocationError: it is no auth file, or has no user.
    """
    place = str(path)
    try:
        with path.open("rb") as file:
            raw = file.read(_MOST_FILE + 1)
    except FileNotFoundError:
        raise NotFound("there is no such file", location=place) from None
    except OSError as error:
        raise LocationError(f"it cannot be read: {error.strerror}", location=place) from None
    if len(raw) > _MOST_FILE:
        raise LocationError("it is too large for an auth file", location=place)
    try:
        lines = raw.decode().splitlines()
    except UnicodeDecodeError:
        raise LocationError("it is not UTF-8", location=place) from None
    users: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        user, colon, text = line.partition(":")
        try:
            if not colon or not is_user(user):
                raise ValueError("a line is USER:HASH")
            if user in users:
                raise ValueError(f"{shown(user)} stands there twice")
            users[user] = str(PasswordHash.parse(text.strip()))
        except ValueError as error:
            raise LocationError(
                f"line {number}: {error}", location=place, hint="see serve --hash-password"
            ) from None
    if not users:
        raise LocationError("it names no user", location=place, hint="see serve --hash-password")
    return users
