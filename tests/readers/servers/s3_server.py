"""Moto's S3 server in a process of its own, begun when it is first wanted, ended with the tests."""

from __future__ import annotations

import atexit
import functools
import http.client
import re
import subprocess
import sys
from typing import NamedTuple
from urllib.parse import quote

_SIGNED = (
    "AWS4-HMAC-SHA256 Credential=writer/20260101/us-east-1/s3/aws4_request, "
    "SignedHeaders=host, Signature=0"
)
_VERSIONING = (
    b'<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
    b"<Status>Enabled</Status></VersioningConfiguration>"
)


class Put(NamedTuple):
    """What the store says of an object that was written."""

    etag: str
    version: str | None


class S3Server:
    """The server, and how a test writes to it; buckets of one test are not those of another."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        self._buckets = 0

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def bucket(self, *, versions: bool = False) -> str:
        """A new bucket, perhaps one that keeps versions."""
        self._buckets += 1
        name = f"field-{self._buckets}"
        self.ask("PUT", f"/{name}")
        if versions:
            self.ask("PUT", f"/{name}?versioning", _VERSIONING)
        return name

    def put(self, bucket: str, key: str, data: bytes) -> Put:
        """Write an object."""
        headers, _ = self.ask("PUT", f"/{bucket}/{quote(key)}", data)
        return Put(headers["ETag"], headers.get("x-amz-version-id"))

    def put_in_parts(self, bucket: str, key: str, *parts: bytes) -> Put:
        """Write an object in several parts, all but the last of which have 5 MiB or more."""
        path = f"/{bucket}/{quote(key)}"
        _, begun = self.ask("POST", f"{path}?uploads", b"")
        upload = _between(begun, b"UploadId")
        done = b""
        for number, part in enumerate(parts, 1):
            headers, _ = self.ask("PUT", f"{path}?partNumber={number}&uploadId={upload}", part)
            etag = headers["ETag"]
            done += f"<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag></Part>".encode()
        whole = b"<CompleteMultipartUpload>" + done + b"</CompleteMultipartUpload>"
        _, ended = self.ask("POST", f"{path}?uploadId={upload}", whole)
        return Put(_between(ended, b"ETag"), None)

    def delete(self, bucket: str, key: str, version: str | None = None) -> None:
        """Delete an object; in a bucket that keeps versions, hide it, or delete one of them."""
        query = "" if version is None else f"?versionId={version}"
        self.ask("DELETE", f"/{bucket}/{quote(key)}{query}")

    def ask(
        self, method: str, path: str, body: bytes | None = None
    ) -> tuple[http.client.HTTPMessage, bytes]:
        """One request that has to succeed."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, {"Authorization": _SIGNED})
            answer = connection.getresponse()
            data = answer.read()
        finally:
            connection.close()
        assert answer.status < 300, (method, path, answer.status, data)
        return answer.headers, data

    def close(self) -> None:
        """End the process: it ends when its input does."""
        self._process.communicate()


@functools.cache
def s3_server() -> S3Server:
    """The server of this process: the first call takes a few seconds."""
    server = S3Server()
    atexit.register(server.close)
    return server


def _between(text: bytes, tag: bytes) -> str:
    match = re.search(b"<%s>(.*?)</%s>" % (tag, tag), text)
    assert match is not None, text
    return match[1].decode()


def _serve() -> None:
    """Serve until the input ends, as it does if the tests die."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    print(server.get_host_and_port()[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    _serve()
