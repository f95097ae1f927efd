"""The manifest of a field, and the pins made from it (SPEC.md, "Digests and pins")."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from .entry import names_in_order

FIELD_PIN_PREFIX = "field-sha256:"
_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r"})
_TO_ESCAPE = re.compile(r"[\\\n\r]")


@dataclass(frozen=True, slots=True)
class Manifest:
    """The SHA-256 of every page and attachment, in the order of the bytes of their names.

    Attributes:
        hashes: name to SHA-256 in hexadecimal, in order.
    """

    hashes: Mapping[str, str]

    @classmethod
    def of(cls, hashes: Mapping[str, str]) -> Manifest:
        """The manifest of files whose hashes are given in any order."""
        return cls({name: hashes[name] for name in names_in_order(hashes)})

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines, as `text` has them, each without its line feed."""
        if _TO_ESCAPE.search("".join(self.hashes)) is None:
            return tuple([f"{digest}  {name}" for name, digest in self.hashes.items()])
        return tuple(_line(name, digest) for name, digest in self.hashes.items())

    @property
    def text(self) -> str:
        """The lines, each as `sha256sum` prints it: hash, two spaces, name, line feed.

        A name with a backslash, LF or CR is escaped as coreutils does it, with a backslash before
        the hash; a name cannot imitate a second line.
        """
        return "\n".join((*self.lines, ""))

    @property
    def digest(self) -> str:
        """The field pin: `field-sha256:` and the SHA-256 of the lines."""
        data = self.text.encode("utf-8", "surrogateescape")
        return FIELD_PIN_PREFIX + hashlib.sha256(data).hexdigest()


def _line(name: str, digest: str) -> str:
    escaped = name.translate(_ESCAPES)
    mark = "\\" if escaped != name else ""
    return f"{mark}{digest}  {escaped}"
