"""A session with S3, begun only where s3fs is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import SourceUnavailable
from ..transfer.options import TransferOptions

if TYPE_CHECKING:
    from .session import S3Session


def new_session(options: TransferOptions, location: str) -> S3Session:
    """A session that has asked for nothing yet; who has it closes it.

    Arguments:
        options: credentials, endpoint, time and retries.
        location: what messages call the source.

    Raises:
        LocationError: an option makes no sense.
        SourceUnavailable: s3fs is not installed.
    """
    try:
        import s3fs  # type: ignore[import-untyped]  # noqa: F401 - used when it is asked first

        from .session import S3Session
    except ImportError:
        raise SourceUnavailable(
            "S3 needs s3fs, which is not installed",
            location=location,
            hint="pip install 'memoryfield-kit[s3]'",
        ) from None
    return S3Session(options, location)
