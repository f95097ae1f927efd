"""The whole field as the server gives it: fetched into a temporary file, and looked through."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from typing import IO, NamedTuple, Self

from memoryfield_readers import Field, LimitExceeded, Limits, MemoryfieldError, inspect_field
from memoryfield_readers.transfer.sink import Bounded

from ..finding import Finding
from ..validation import validate
from .asking import IDENTITY, Asking

PATH = "memoryfield.zip"
_OK = 200


class _Sink(Bounded):
    """A sink that is a file."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        super().__init__(most, "total-bytes")
        self._file = file

    def _keep(self, piece: bytes) -> None:
        self._file.write(piece)

    def _forget(self) -> None:
        self._file.seek(0)
        self._file.truncate()


class Archive(NamedTuple):
    """What came under the fixed path.

    Attributes:
        status: the number of the answer.
        headers: by their names in lower case.
        sha256: that of the archive, in hexadecimal; None where there is none.
        field: the field in it; None where nothing in it can be relied on.
        digest: the field pin; None where there is no such field.
        wrong: what it breaks of the requirements on archives.
        file: the bytes.
    """

    status: int
    headers: Mapping[str, str]
    sha256: str | None
    field: Field | None
    digest: str | None
    wrong: tuple[Finding, ...]
    file: IO[bytes]

    @property
    def kind(self) -> str:
        """The content type in lower case, without parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


class Archives:
    """Fetches archives, and keeps them open until it is closed."""

    def __init__(self, asking: Asking, limits: Limits) -> None:
        """Fetch nothing yet."""
        self._asking = asking
        self._limits = limits
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def fetch(self) -> Archive:
        """What the server gives as the archive now; raises as `Asking.ask`."""
        file = self._open.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - it is
        sink = _Sink(file, self._limits.archive_bytes)
        answer = self._asking.save(PATH, sink, headers=IDENTITY)
        nothing = Archive(answer.status, answer.headers, None, None, None, (), file)
        if answer.status != _OK:
            return nothing
        file.seek(0)
        try:
            field = self._open.enter_context(
                inspect_field(file, name=PATH, limits=self._limits, cache=None)
            )
            report = validate(field, select=("MF6",), ignore=("MF602",))
            pin = field.archive_digest()
        except MemoryfieldError as error:
            if isinstance(error, LimitExceeded):
                raise
            wrong = Finding("MF601", "error", None, None, None, error.message)
            return nothing._replace(wrong=(wrong,))
        wrong_here = tuple(each for each in report.findings if each.level == "error")
        is_sound = report.digest is not None and not report.unread
        return nothing._replace(
            sha256=pin.removeprefix("sha256:") if pin else None,
            field=field if is_sound else None,
            digest=report.digest if is_sound else None,
            wrong=wrong_here,
        )
