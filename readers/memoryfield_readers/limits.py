"""How much of a field a reader is willing to take (MF607)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from .errors import UnknownLimit

KIB = 1024
MIB = 1024 * KIB

_HEADER_BYTES = 128
"""What an archive has for each entry beside its data and its names, and a little more."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds on what a reader takes from a source (MF607).

    Attributes:
        entries: entries of an archive, or files of a directory and what lies below it.
        page_bytes: bytes of one page that is read and parsed.
        file_bytes: bytes of one file of any kind, inflated.
        total_bytes: bytes of all files together, inflated.
        directory_bytes: bytes of an archive's central directory.
        ratio: inflated bytes for each compressed byte, in entries of more than 1 MiB inflated.
    """

    entries: int = 16_384
    page_bytes: int = 1 * MIB
    file_bytes: int = 64 * MIB
    total_bytes: int = 256 * MIB
    directory_bytes: int = 4 * MIB
    ratio: int = 100

    @property
    def archive_bytes(self) -> int:
        """Bytes of an archive that is fetched whole: within the other limits none has more."""
        return self.total_bytes + 2 * self.directory_bytes + self.entries * _HEADER_BYTES

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the limits as a command line writes them, such as "page-bytes"."""
        return tuple(field.name.replace("_", "-") for field in fields(cls))

    def with_settings(self, settings: Iterable[str]) -> Limits:
        """These limits with some raised or lowered.

        Arguments:
            settings: texts such as "page-bytes=4194304"; underscores in numbers are allowed.

        Raises:
            UnknownLimit: a name is not a limit, or a value is not a positive whole number.
        """
        changed: dict[str, int] = {}
        for setting in settings:
            name, _, value = setting.partition("=")
            if name not in self.names():
                raise UnknownLimit(
                    f"there is no limit named {name!r}",
                    hint="write NAME=VALUE, where NAME is one of " + ", ".join(self.names()),
                )
            digits = value.replace("_", "")
            good = digits.isascii() and digits.isdigit() and len(digits) < 19
            number = int(digits) if good else 0
            if number <= 0:
                raise UnknownLimit(
                    f"the limit {name} must be a positive whole number below 10**18, not {value!r}",
                    hint=f"for example {name}=1000000",
                )
            changed[name.replace("-", "_")] = number
        return replace(self, **changed)


DEFAULT_LIMITS = Limits()


def raise_limit(name: str) -> str:
    """The hint that says which limit to raise, by the name a command line has for it."""
    return f"raise the limit with --limit {name}=NUMBER, if you trust this field"
