"""What tests of archives share: archives as several programs write them, and what was edited."""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from memoryfield_readers import ArchiveImage, ImageEntry, Manifest, open_field
from memoryfield_readers.canonical_archive.records import moved_record
from memoryfield_readers.entry import names_in_order
from memoryfield_validator.conformance.raw_zip import (
    DEFLATED,
    Descriptor,
    Zip64End,
    ZipEntry,
    extra_field,
    zip_bytes,
)
from memoryfield_writer.archives.building import build_edited
from memoryfield_writer.archives.canonical import write_canonical
from memoryfield_writer.plan import Plan, Put

FILES: dict[str, bytes] = {
    "a.md": b"# A\n",
    "b.md": b"# B\n" * 40,
    "index.md": b"",
    "map.png": bytes(range(256)),
    "\u00e4.txt": b"not ASCII\n",
}


def canonical(files: Mapping[str, bytes]) -> bytes:
    """The canonical archive of files."""
    out = io.BytesIO()
    write_canonical([(name, files[name]) for name in names_in_order(files)], out)
    return out.getvalue()


def field_in(folder: Path, files: dict[str, bytes]) -> Path:
    """A folder with these files."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def plan_of(
    files: Mapping[str, bytes],
    puts: Mapping[str, bytes | Put] | None = None,
    removes: Iterable[str] = (),
) -> Plan:
    """A plan that changes files; what replaces one takes over what there is to take over."""
    made = {
        name: put if isinstance(put, Put) else Put(put, name if name in files else None)
        for name, put in (puts or {}).items()
    }
    after = after_plan(files, made, removes)
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in after.items()}
    return Plan(made, tuple(removes), (), Manifest.of(hashes))


def after_plan(
    files: Mapping[str, bytes], puts: Mapping[str, Put], removes: Iterable[str]
) -> dict[str, bytes]:
    """What a dictionary of the files would be."""
    gone = set(removes) - set(puts)
    kept = {name: content for name, content in files.items() if name not in gone}
    return kept | {name: put.content for name, put in puts.items()}


def edited(data: bytes, plan: Plan) -> bytes:
    """An archive, edited."""
    out = io.BytesIO()
    with open_field(data) as field:
        image = field.archive_image()
        assert image is not None
        build_edited(image, plan, out)
    return out.getvalue()


def contents(data: bytes | Path) -> dict[str, bytes]:
    """What a strict reader finds in an archive."""
    with open_field(data) as field:
        names = (*field.pages, *field.attachments, *field.indexes)
        return {name: field.content(name) for name in names}


def image_of(data: bytes) -> ArchiveImage:
    """The make-up of an archive, for as long as its bytes are there."""
    field = open_field(data)
    image = field.archive_image()
    assert image is not None
    return image


def raw(data: bytes, entry: ImageEntry) -> tuple[bytes, bytes]:
    """An entry as it stands: local header, data and descriptor; and its record, less the offset."""
    return data[entry.start : entry.end], moved_record(entry.record, 0)


def written_by_zipfile(method: int = zipfile.ZIP_STORED, *, streamed: bool = False) -> bytes:
    """As Python's `zipfile` does it; streamed, with a data descriptor behind each entry."""
    out = io.BytesIO()
    to = _Stream(out) if streamed else out
    with zipfile.ZipFile(to, "w", method) as made:
        made.comment = b"made by zipfile"
        for name, content in FILES.items():
            made.writestr(name, content)
    return out.getvalue()


def written_by_zip(folder: Path) -> bytes:
    """As Info-ZIP does it, with extra fields of times and owners."""
    place = folder / "written-by-zip"
    place.mkdir()
    for name, content in FILES.items():
        if name.isascii():  # how others are written depends on the locale
            (place / name).write_bytes(content)
    subprocess.run(["zip", "-q", "-r", "../x.zip", "."], cwd=place, check=True)
    return (folder / "x.zip").read_bytes()


def written_with_all_there_is() -> bytes:
    """Extra fields, comments, debris, folders, zip64 records, descriptors, and another order."""
    extra = extra_field(0x5455, b"\1\0\0\0\0")
    return zip_bytes(
        ZipEntry("index.md", b"", extra=extra),
        ZipEntry("sub/"),
        ZipEntry("sub/deep.md", b"deep\n"),
        ZipEntry("b.md", FILES["b.md"], DEFLATED, descriptor=Descriptor.BARE),
        ZipEntry("._a.md", b"debris", zip64=True),
        ZipEntry("a.md", FILES["a.md"], zip64=True, extra=extra, attributes=0o100600 << 16),
        ZipEntry("map.png", FILES["map.png"], DEFLATED, descriptor=Descriptor.SIGNED, zip64=True),
        ZipEntry("\u00e4.txt", FILES["\u00e4.txt"]),
        comment=b"mine",
        zip64=Zip64End(),
    )


WRITERS: dict[str, Callable[[Path], bytes]] = {
    "canonical": lambda _: canonical(FILES),
    "zipfile": lambda _: written_by_zipfile(),
    "zipfile-deflated": lambda _: written_by_zipfile(zipfile.ZIP_DEFLATED),
    "zipfile-streamed": lambda _: written_by_zipfile(zipfile.ZIP_DEFLATED, streamed=True),
    "all-there-is": lambda _: written_with_all_there_is(),
}
"""Archives by who wrote them; all hold `FILES`, but that of `zip`, which has those of ASCII."""

if shutil.which("zip"):
    WRITERS["zip"] = written_by_zip


class _Stream(io.RawIOBase):
    """What cannot seek."""

    def __init__(self, out: io.BytesIO) -> None:
        self._out = out

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        return self._out.write(data)  # type: ignore[arg-type]
