"""From the archive of a case, as its file describes it, to the bytes of a ZIP file."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from .case import ARCHIVE_NAME, Archive
from .content import content_of, from_base64, name_bytes
from .errors import BrokenCase
from .raw_zip import (
    DEFLATED,
    Descriptor,
    End,
    Header,
    Zip64End,
    ZipEntry,
    stored_blocks,
    zip_bytes,
)

_AROUND = ("prefix", "before-directory", "before-end", "comment", "suffix")


def archive_of(given: Mapping[str, Any]) -> Archive:
    """The archive that the key `archive` of a case describes.

    Raises:
        BrokenCase: a record cannot hold what it is to say, or more is cut off than there is.
    """
    try:
        data = content_of(given["bytes"]) if "bytes" in given else _written(given)
    except struct.error as error:
        raise BrokenCase(f"a record of the archive cannot be written: {error}") from None
    assert data is not None  # noqa: S101 - the schema demands one of the forms
    left = len(data) - given.get("cut", 0)
    if left < 0:
        raise BrokenCase(f"`cut` is more than the {len(data)} bytes of the archive")
    return Archive(given.get("file-name", ARCHIVE_NAME), data[:left])


def _written(given: Mapping[str, Any]) -> bytes:
    around = {key.replace("-", "_"): content_of(given[key]) for key in _AROUND if key in given}
    return zip_bytes(
        *map(_entry, given["entries"]),
        **around,  # type: ignore[arg-type]
        count_prefix=given.get("count-prefix", True),
        end=End(**_underscored(given["end"])) if "end" in given else None,
        zip64=Zip64End(**_underscored(given["zip64-end"])) if "zip64-end" in given else None,
    )


def _entry(given: Mapping[str, Any]) -> ZipEntry:
    content = content_of(given) or b""
    method = given.get("method", 0)
    data = content_of(given["data"]) if "data" in given else None
    if data is None and method == DEFLATED:
        data = stored_blocks(content)  # the same bytes, whatever compressor a machine has
    descriptor = given.get("descriptor")
    return ZipEntry(
        name_bytes(given),
        content,
        method,
        data,
        flags=given.get("flags", 0),
        extra=content_of(given.get("extra", {})) or b"",
        attributes=given.get("attributes", 0),
        descriptor=None if descriptor is None else Descriptor(descriptor),
        descriptor_bytes=content_of(given.get("descriptor-bytes", {})),
        zip64=given.get("zip64", False),
        gap=content_of(given.get("gap", {})) or b"",
        written=given.get("written", True),
        listed=given.get("listed", True),
        local=_header(given.get("local", {})),
        central=_header(given.get("central", {})),
    )


def _header(given: Mapping[str, Any]) -> Header:
    says: dict[str, Any] = {}
    for key, value in given.items():
        if key == "name-base64":
            says["name"] = from_base64(value)
        else:
            says[key] = content_of(value) if isinstance(value, Mapping) else value
    return Header(**says)


def _underscored(given: Mapping[str, int]) -> dict[str, Any]:
    return {key.replace("-", "_"): value for key, value in given.items()}
