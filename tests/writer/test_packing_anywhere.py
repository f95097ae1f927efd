"""The same field is the same archive under every Python, for coreutils, in S3, there and back."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.readers.servers.s3_world import S3World, s3_world
from tests.writer.archives import FILES, canonical, contents, field_in

from memoryfield_readers import UnsafeArchive, WriteConflict, open_field
from memoryfield_writer.packing import pack
from memoryfield_writer.unpacking import unpack

BYTES = canonical(FILES)
SHA256 = hashlib.sha256(BYTES).hexdigest()
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a field."""
    field_in(tmp_path / "field", FILES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="coreutils are not there")
@pytest.mark.parametrize(
    "name", ["x.zip", "a b.zip", "back\\slash.zip", "line\nfeed.zip", "\u00e4.zip"]
)
def test_checksums_are_those_of_coreutils(name: str, place: Path) -> None:
    """Byte for byte, and `sha256sum -c` takes them."""
    pack("field", Path(name))
    check = f"{name}.sha256"
    told = subprocess.run(["sha256sum", "--", name], capture_output=True, check=True)
    assert (place / check).read_bytes() == told.stdout
    subprocess.run(["sha256sum", "--strict", "-c", check], capture_output=True, check=True)


def pythons() -> list[str]:
    """The interpreters there are beside this one, old enough and new enough."""
    found = []
    for version in ("3.11", "3.12", "3.13", "3.14"):
        if version == f"{sys.version_info[0]}.{sys.version_info[1]}":
            continue
        path = shutil.which(f"python{version}")
        if path is not None and _starts(path):
            found.append(path)
    return found


def _starts(python: str) -> bool:
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


PACK = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
from types import ModuleType
parser = sys.modules["yaml._yaml"] = ModuleType("yaml._yaml")  # no page is parsed here
parser.CParser = type("CParser", (), {})
parser.CEmitter = type("CEmitter", (), {})
from memoryfield_writer.packing import pack
print(pack(sys.argv[2], sys.argv[3]).archive_pin)
"""


def test_the_same_under_every_python(place: Path) -> None:
    """Nothing is compressed, so that no build of zlib has a say in the bytes.

    The packages that ours need are pure Python, but for the parser of YAML.
    """
    others = pythons()
    if not others:
        pytest.skip("there is no other Python here")
    rooms = [str(ROOT / room) for room in ("writer", "readers", "validator", "spec")]
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    for number, python in enumerate(others):
        made = subprocess.run(
            [python, "-c", PACK, json.dumps([*rooms, *libraries]), "field", f"{number}.zip"],
            capture_output=True,
            check=False,
        )
        assert made.returncode == 0, (python, made.stderr.decode())
        assert made.stdout.decode().strip() == f"sha256:{SHA256}", python
        assert (place / f"{number}.zip").read_bytes() == BYTES


CONTENT = st.binary(max_size=200)
ATTACHMENT = st.text(st.characters(codec="utf-8", exclude_characters="/"), min_size=1, max_size=20)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    pages=st.dictionaries(
        st.from_regex(r"[a-z0-9](-?[a-z0-9]){0,8}\.md", fullmatch=True), CONTENT, min_size=1
    ),
    attachments=st.dictionaries(ATTACHMENT, CONTENT, max_size=4),
)
def test_any_field_there_and_back(
    pages: dict[str, bytes], attachments: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """It packs, opens strictly and unpacks to the same; or it is refused for its names."""
    place = tmp_path_factory.mktemp("any")
    folder = field_in(place / "f", pages)
    for name, content in attachments.items():
        try:
            (folder / name).write_bytes(content)
        except (OSError, ValueError):
            continue
    with open_field(folder) as field:
        files = {name: field.content(name) for name in (*field.pages, *field.attachments)}
        digest = field.digest()
    try:
        packed = pack(folder, place / "x.zip")
    except UnsafeArchive as error:
        assert {fault.rule for fault in error.faults} <= {"MF603"}  # noqa: PT017
        assert not (place / "x.zip").exists()
        return
    assert (place / "x.zip").read_bytes() == canonical(files)
    assert contents(place / "x.zip") == files
    assert packed.digest == digest
    unpacked = unpack(place / "x.zip", place / "out")
    assert unpacked.digest == digest
    assert {path.name: path.read_bytes() for path in (place / "out").iterdir()} == files


@pytest.fixture
def s3() -> Iterator[S3World]:
    with s3_world() as world:
        yield world


def test_to_s3(s3: S3World) -> None:
    """Where there is none; another one stays unless it may go."""
    bucket = s3.server.bucket()
    target = f"s3://{bucket}/x.memoryfield.zip"
    options = {**s3.options().rest, "retries": 0}
    packed = pack("field", target, storage_options=options)
    assert (packed.path, packed.archive_pin) == (target, f"sha256:{SHA256}")
    assert pack("field", target, storage_options=options, replace=True).unchanged
    (Path("field") / "c.md").write_bytes(b"# C\n")
    with pytest.raises(WriteConflict):
        pack("field", target, storage_options=options)
    assert pack("field", target, storage_options=options, replace=True).entries == 6
