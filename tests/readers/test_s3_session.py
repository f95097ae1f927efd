"""How S3 is reached: options and environment, what is sent, and that nothing stays behind."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.readers.servers.s3_gate import Asked, Given
from tests.readers.servers.s3_world import KEYS, S3World, s3_world

from memoryfield_readers import AccessDenied, LocationError, MemoryfieldError, SourceUnavailable
from memoryfield_readers.limits import DEFAULT_LIMITS
from memoryfield_readers.locations.values import S3Location
from memoryfield_readers.s3.getting import get
from memoryfield_readers.s3.settings import settings_of
from memoryfield_readers.sources.s3 import S3Prefix
from memoryfield_readers.transfer.options import TransferOptions
from memoryfield_readers.transfer.sink import MemorySink


@pytest.fixture
def s3() -> Iterator[S3World]:
    with s3_world() as world:
        yield world


def scope(asked: Asked) -> list[str]:
    """Key, date, region and service of what signed a request."""
    return asked.headers["authorization"].partition("Credential=")[2].partition(",")[0].split("/")


@pytest.mark.parametrize(
    "given",
    [
        {"endpoint": "x"},
        {"endpoint_url": "127.0.0.1:9000"},
        {"endpoint_url": "http://user:hunter2@host"},
        {"endpoint_url": "http://[::1"},
        {"endpoint_url": "http://host/?X-Amz-Signature=hunter2"},
        {"endpoint_url": 1},
        {"region": ""},
        {"key": "a"},
        {"secret": "hunter2"},
        {"key": "a", "secret": "hunter2", "anon": True},
        {"requester_pays": "perhaps"},
    ],
    ids=lambda given: "-".join(given),
)
def test_options_that_make_no_sense(given: dict[str, Any]) -> None:
    """They are refused before anything is asked, and a value is not repeated."""
    with pytest.raises(LocationError) as caught:
        settings_of(TransferOptions.of(given), "s3://b/")
    assert "hunter2" not in f"{caught.value} {caught.value.hint}"


def test_settings_do_not_show_what_is_secret() -> None:
    """Also where they are printed whole."""
    settings = settings_of(TransferOptions.of({**KEYS, "token": "a-token"}), "s3://b/")
    assert not any(secret in repr(settings) for secret in (*KEYS.values(), "a-token"))


def test_a_bad_region_is_a_wrong_option(s3: S3World) -> None:
    """What botocore refuses to make a client of."""
    with pytest.raises(LocationError):
        s3.prefix("bucket", region="no region").listing()


def test_environment_and_profiles(s3: S3World, tmp_path: Path) -> None:
    """Endpoint, keys, region and profile come from the environment as for any tool of AWS."""
    bucket = s3.server.bucket()
    location = S3Location(f"s3://{bucket}/", bucket, "", False)

    def signed_by(**given: Any) -> tuple[str, str]:
        store = S3Prefix(location, TransferOptions.of(given), DEFAULT_LIMITS)
        try:
            store.listing()
        finally:
            store.close()
        key, _, region, _, _ = scope(s3.gate.asked[-1])
        return key, region

    s3.patch.setenv("AWS_ENDPOINT_URL_S3", s3.gate.url)
    s3.patch.setenv("AWS_ACCESS_KEY_ID", "FROMENVIRONMENT")
    s3.patch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    s3.patch.setenv("AWS_REGION", "eu-central-9")
    s3.patch.setenv("AWS_DEFAULT_REGION", "eu-central-9")
    assert signed_by() == ("FROMENVIRONMENT", "eu-central-9")
    assert signed_by(region="eu-west-9", **KEYS) == (KEYS["key"], "eu-west-9")
    config = tmp_path / "config"
    config.write_text(
        "[profile mine]\nregion = eu-north-9\n"
        "aws_access_key_id = FROMPROFILE\naws_secret_access_key = x\n"
    )
    s3.patch.setenv("AWS_CONFIG_FILE", str(config))
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_DEFAULT_REGION"):
        s3.patch.delenv(name)
    assert signed_by(profile="mine") == ("FROMPROFILE", "eu-north-9")
    s3.patch.setenv("AWS_PROFILE", "mine")
    assert signed_by() == ("FROMPROFILE", "eu-north-9")
    with pytest.raises(LocationError, match="no such profile"):
        signed_by(profile="another")
    s3.patch.delenv("AWS_PROFILE")
    with pytest.raises(AccessDenied) as caught:
        signed_by()
    assert "--anon" in (caught.value.hint or "")


def test_no_checksums_are_sent_to_a_store_that_is_not_that_of_aws(s3: S3World) -> None:
    """Such stores refuse what newer versions of botocore send of their own accord."""
    bucket = s3.server.bucket()
    s3.server.put(bucket, "a.md", b"# A")
    store = s3.prefix(bucket)
    (entry,) = store.listing()
    store.save(entry, MemorySink(10))  # the gate answers "Unauthorized" to any checksum header
    store.dated(entry._replace(modified_ns=None))
    names = {name for asked in s3.gate.asked for name in asked.headers}
    assert not any("checksum" in name for name in names)


class OneAnswer:
    """A client that notes what it is asked for."""

    def __init__(self, endpoint: str) -> None:
        self.meta = self
        self.endpoint_url = endpoint
        self.asked: dict[str, Any] = {}

    async def get_object(self, **wanted: Any) -> dict[str, Any]:
        self.asked = wanted
        return {"ContentLength": 0, "Body": self}

    async def read(self, _: int) -> bytes:
        return b""

    def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize(
    ("endpoint", "checked"),
    [
        ("https://s3.eu-west-1.amazonaws.com", True),
        ("https://s3.cn-north-1.amazonaws.com.cn", True),
        ("https://s3.example.org", False),
        ("https://s3.amazonaws.com.example.org", False),
        ("http://127.0.0.1:9000", False),
    ],
)
def test_checksums_are_asked_for_where_they_are_known(endpoint: str, checked: bool) -> None:
    """The store of AWS proves what it sends; no other one is asked to."""
    client = OneAnswer(endpoint)
    asyncio.run(get(client, {"Key": "k"}, lambda _: MemorySink(0), 1))
    assert client.asked == {"Key": "k", **({"ChecksumMode": "ENABLED"} if checked else {})}


def test_many_files_at_once(s3: S3World) -> None:
    """A store may be used from as many threads as it says."""
    bucket = s3.server.bucket()
    for number in range(20):
        s3.server.put(bucket, f"{number}.md", b"x" * number)
    store = s3.prefix(bucket)

    def saved(entry: Any) -> int:
        sink = MemorySink(100)
        store.save(entry, sink)
        return len(sink.data)

    with ThreadPoolExecutor(store.at_once) as pool:
        assert sorted(pool.map(saved, store.listing())) == list(range(20))


def test_nothing_is_left_behind(s3: S3World) -> None:
    """No thread, no socket, no file is open after the end, also if requests are still under way."""
    bucket = s3.server.bucket()
    s3.server.put(bucket, "a.md", b"# A")
    s3.prefix(bucket).listing()  # what is loaded once stays
    s3.close()
    gc.collect()
    threads, files = set(threading.enumerate()), len(os.listdir("/proc/self/fd"))
    asked = threading.Event()

    def silent(_: Asked, __: Given) -> Given | None:
        asked.set()
        s3.gate.hold.wait(30)
        return None

    store = s3.prefix(bucket)
    store.listing()
    s3.gate.rules.append(silent)
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(store.listing)
        asked.wait()
        store.close()
        store.close()
        with pytest.raises(SourceUnavailable, match="closed"):
            late.result()
    with pytest.raises(SourceUnavailable, match="closed"):
        store.listing()
    s3.gate.hold.set()
    left = {thread for thread in threading.enumerate() if "s3" in thread.name} - threads
    assert left == set()
    for thread in set(threading.enumerate()) - threads:
        thread.join(10)  # those of the gate, which see the end of their connections
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == files


def test_closing_while_a_request_begins(s3: S3World) -> None:
    """It is ended too: neither does it wait for an answer that never comes, nor fail otherwise."""
    store = s3.prefix("bucket")
    schedule = asyncio.run_coroutine_threadsafe
    closing: list[threading.Thread] = []

    def scheduled(work: Any, loop: asyncio.AbstractEventLoop) -> Any:
        if not closing:
            closing.append(threading.Thread(target=store.close))
            closing[0].start()
            closing[0].join(0.1)
        return schedule(work, loop)

    s3.patch.setattr("asyncio.run_coroutine_threadsafe", scheduled)
    with pytest.raises(SourceUnavailable, match="closed"):
        store.listing()
    closing[0].join()


def test_without_s3fs_one_line_says_what_to_install() -> None:
    """The module can be imported, and knows its options, where s3fs is not installed."""
    program = """
import sys
sys.modules["s3fs"] = None
from memoryfield_readers import SourceUnavailable
from memoryfield_readers.limits import DEFAULT_LIMITS
from memoryfield_readers.locations.values import S3Location
from memoryfield_readers.sources.s3 import S3Object, S3Prefix
from memoryfield_readers.transfer.options import TransferOptions
for kind, rest in ((S3Prefix, (DEFAULT_LIMITS,)), (S3Object, ())):
    try:
        kind(S3Location("s3://b/", "b", "", False), TransferOptions(), *rest)
    except SourceUnavailable as error:
        print(error, "|", error.hint)
print([name for name in ("botocore", "aiohttp", "fsspec") if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    line = "s3://b/: S3 needs s3fs, which is not installed | pip install 'memoryfield-kit[s3]'\n"
    assert done.stdout == line * 2 + "[]\n"


def test_errors_cross_to_another_process_as_ours(s3: S3World) -> None:
    """What is raised holds nothing of botocore."""
    with pytest.raises(MemoryfieldError) as caught:
        s3.prefix("nobody-has-this").listing()
    assert type(caught.value).__module__.startswith("memoryfield_readers")
