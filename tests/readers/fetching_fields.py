"""Fields of a server and of this machine, a lock file of them, and a cache to fetch them into."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Mapping
from pathlib import Path

from tests.readers.servers.faulty_http import FaultyHttp
from tests.readers.servers.http_parts import Served

from memoryfield_readers import open_field
from memoryfield_readers.cache import Cache
from memoryfield_readers.lock import (
    LockFile,
    changing,
    lock_field,
    read_lock,
    remember,
    stored_location,
)
from memoryfield_validator.conformance.raw_zip import DEFLATED, ZipEntry, zip_bytes


def pages(field: str) -> dict[str, bytes]:
    """The pages of a small field, which no other one has."""
    return {f"page-{n}.md": f"# Page {n} of {field}\n".encode() for n in range(12)}


def packed(files: Mapping[str, bytes]) -> bytes:
    """An archive of files."""
    return zip_bytes(*(ZipEntry(name, data, method=DEFLATED) for name, data in files.items()))


def noise(kibibytes: int, seed: int = 1) -> bytes:
    """An archive that does not get smaller."""
    source = random.Random(seed)
    return zip_bytes(*(ZipEntry(f"p{n}.md", source.randbytes(kibibytes * 256)) for n in range(4)))


def serve(server: FaultyHttp, archives: Mapping[str, bytes], *folders: str) -> None:
    """Put archives at `/NAME.memoryfield.zip`, and the pages of small fields at `/NAME/`."""
    for name, data in archives.items():
        server.files[f"/{name}.memoryfield.zip"] = data
    for name in folders:
        links = "".join(f'<a href="{page}">{page}</a>\n' for page in pages(name))
        index = f"<!DOCTYPE html>\n<html>{links}</html>\n".encode()
        server.files[f"/{name}/"] = Served(index, content_type="text/html")
        for page, data in pages(name).items():
            server.files[f"/{name}/{page}"] = data


def lock_of(path: Path, locations: Mapping[str, str]) -> LockFile:
    """Lock fields as a person does who types their locations, and forget the requests that took."""
    with changing(path) as change:
        lock = change.lock
        for name, typed in locations.items():
            location = stored_location(typed, path)
            remember(location)
            with open_field(typed) as field:
                lock = lock.with_field(lock_field(name, location, field))
        change.write(lock)
    return read_lock(path)


def wrong_objects(cache: Cache) -> list[str]:
    """The files of a cache whose names are not their hashes; there should be none, ever."""
    return [
        str(path)
        for path in objects(cache.path)
        if hashlib.sha256(path.read_bytes()).hexdigest() != path.parent.name + path.name
    ]


def objects(cache: Path) -> list[Path]:
    """The objects of a cache."""
    return sorted((cache / "v1" / "objects").glob("*/*"))


def damage(path: Path) -> None:
    """Change a byte in the middle of a file, whatever its mode."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    os.chmod(path, 0o600)
    path.write_bytes(data)
    os.chmod(path, 0o444)
