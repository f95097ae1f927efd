"""What is said of a file of the cache that is not what its name says."""

from __future__ import annotations

from pathlib import Path

from ..errors import PinMismatch


class DamagedObject(PinMismatch):
    """A file of the cache is not what its name says (MF904).

    Attributes:
        path: the file.
        sha256: what its name says.
        what: what is wrong, with the file as its subject.
    """

    def __init__(
        self, path: Path, sha256: str, what: str, *, actual: str = "", size: int | None = None
    ) -> None:
        """Say what the file is instead.

        Arguments:
            path: the file.
            sha256: what its name says.
            what: what is wrong, with the file as its subject.
            actual: the hash it has; "" where it could not be read.
            size: how many bytes it has; None where that says nothing.
        """
        super().__init__(
            f"the file in the cache {what}",
            location=str(path),
            hint="`memoryfield cache verify --remove` throws such files out, `memoryfield fetch` "
            "brings them again",
            expected=f"sha256:{sha256}",
            actual=f"sha256:{actual}" if actual else "",
            size=size,
            diagnosis="the file in the cache was changed or damaged after it was written",
        )
        self.what = what
        self.path = path
        self.sha256 = sha256
