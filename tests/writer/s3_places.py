"""What tests of writing to S3 share: an object of a bucket, and what the store has."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.readers.servers.s3_world import S3World

from memoryfield_readers.locations import S3Location
from memoryfield_writer.targets.s3_object import Content, S3Object

KEY = "x.memoryfield.zip"


def place(bucket: str, key: str = KEY, version: str | None = None) -> S3Location:
    return S3Location(f"s3://{bucket}/{key}", bucket, key, key.endswith(".zip"), version)


@contextmanager
def remote(s3: S3World, bucket: str, **options: Any) -> Iterator[S3Object]:
    opened = S3Object(place(bucket), s3.options(**options))
    try:
        yield opened
    finally:
        opened.close()


def content(data: bytes) -> Content:
    return Content.of(io.BytesIO(data))


def stored(s3: S3World, bucket: str, key: str = KEY) -> bytes:
    """What the store has, asked for behind the gate."""
    _, data = s3.server.ask("GET", f"/{bucket}/{key}")
    return data


def writes(s3: S3World) -> int:
    return sum(asked.method == "PUT" for asked in s3.gate.asked)
