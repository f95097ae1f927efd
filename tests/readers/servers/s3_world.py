"""What the tests that talk to S3 share: a server, a gate before it, and no AWS besides."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import pytest
from tests.readers.servers.s3_gate import S3Gate
from tests.readers.servers.s3_server import S3Server, s3_server

from memoryfield_readers.limits import DEFAULT_LIMITS, Limits
from memoryfield_readers.locations.values import S3Location
from memoryfield_readers.sources.s3 import S3Object, S3Prefix
from memoryfield_readers.transfer.options import TransferOptions

KEYS = {"key": "AKIAKEYKEYKEYKEYKEY1", "secret": "a-secret-that-nobody-may-see"}


@contextlib.contextmanager
def no_aws() -> Iterator[pytest.MonkeyPatch]:
    """Nothing of AWS in the environment, and no metadata service is asked."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        patch.setenv("AWS_CONFIG_FILE", os.devnull)
        patch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
        patch.setenv("NO_PROXY", "127.0.0.1")
        yield patch


class S3World:
    """A server with a gate before it, and what was opened of it.

    Attributes:
        server: where a test writes.
        gate: where what is tested reads.
        patch: changes the environment until the end of the test.
    """

    def __init__(self, server: S3Server, gate: S3Gate, patch: pytest.MonkeyPatch) -> None:
        self.server = server
        self.gate = gate
        self.patch = patch
        self._opened: list[S3Prefix | S3Object] = []

    def options(self, **given: Any) -> TransferOptions:
        """Options that lead to the gate, with credentials unless `anon` is among them."""
        keys = {} if given.get("anon") or "profile" in given else KEYS
        return TransferOptions.of({"endpoint_url": self.gate.url, "retries": 0, **keys, **given})

    def prefix(
        self,
        bucket: str,
        prefix: str = "",
        *,
        names: list[str] | None = None,
        limits: Limits = DEFAULT_LIMITS,
        **given: Any,
    ) -> S3Prefix:
        """The objects below a prefix; closed after the test."""
        location = S3Location(f"s3://{bucket}/{prefix}", bucket, prefix, False)
        store = S3Prefix(location, self.options(**given), limits, names=names)
        self._opened.append(store)
        return store

    def object(
        self, bucket: str, key: str, *, version: str | None = None, **given: Any
    ) -> S3Object:
        """An archive; closed after the test."""
        location = S3Location(f"s3://{bucket}/{key}", bucket, key, True, version)
        remote = S3Object(location, self.options(**given))
        self._opened.append(remote)
        return remote

    def close(self) -> None:
        """Close what was opened."""
        for opened in self._opened:
            opened.close()


@contextlib.contextmanager
def s3_world() -> Iterator[S3World]:
    """The world of one test; the server is that of the process."""
    with no_aws() as patch, S3Gate(s3_server().port) as gate:
        world = S3World(s3_server(), gate, patch)
        try:
            yield world
        finally:
            world.close()
