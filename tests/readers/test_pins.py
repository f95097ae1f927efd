"""Pins: how they are spelt, what they are of, and what a mismatch says."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.readers.places import packed, pins_of
from tests.readers.servers.faulty_http import FaultyHttp
from tests.readers.servers.http_parts import Served
from tests.readers.servers.index_pages import python_index

from memoryfield_readers import (
    Field,
    InvalidPin,
    LimitExceeded,
    Limits,
    NotFound,
    Pin,
    PinMismatch,
    Pins,
    SourceUnavailable,
    inspect_field,
    open_field,
    parse_pin,
    parse_pins,
)
from memoryfield_readers.pins.pin import PinKind
from memoryfield_readers.sources.random_access import SeekableFile

HEX = "0123456789abcdef" * 4
FILES = {"a.md": b"a\nb\n", "b.md": b"\xef\xbb\xbfb\r\n", "pan.png": b"\x00\x01\r\n"}
OPTIONS = {"retries": 0, "timeout": 20}


@pytest.fixture
def server() -> Iterator[FaultyHttp]:
    """A server that has the field as a folder and as an archive."""
    names = {f"/woks/{name}": data for name, data in FILES.items()}
    with FaultyHttp({**names, "/woks.zip": packed(FILES)}) as server:
        server.files["/woks/"] = Served(python_index("/woks/", [*FILES]), "text/html")
        yield server


class TestSpelling:
    """A pin is written in one way, and what is none is refused before anybody is asked."""

    @pytest.mark.parametrize("kind", PinKind)
    def test_both_kinds(self, kind: PinKind) -> None:
        """They are what they say, and are shown as they are written."""
        text = f"{kind.value}:{HEX}"
        assert parse_pin(text) == Pin(kind, HEX)
        assert str(parse_pin(text)) == text

    def test_capital_letters_are_made_small(self) -> None:
        """Some tools print hashes so."""
        assert str(parse_pin(f"SHA256:{HEX.upper()}")) == f"sha256:{HEX}"
        assert parse_pin(f"Field-Sha256:{HEX.upper()}") == Pin(PinKind.FIELD, HEX)

    NONE: Mapping[str, Any] = {
        "empty": "",
        "digits alone": HEX,
        "another algorithm": f"sha512:{HEX}",
        "a shorter algorithm": f"md5:{HEX[:32]}",
        "no algorithm": f":{HEX}",
        "no digits": "sha256:",
        "one digit fewer": f"sha256:{HEX[:-1]}",
        "one digit more": f"sha256:{HEX}0",
        "another letter": f"sha256:{HEX[:-1]}g",
        "a blank before": f" sha256:{HEX}",
        "a blank after": f"sha256:{HEX} ",
        "a line feed after": f"sha256:{HEX}\n",
        "a blank within": f"sha256: {HEX[1:]}",
        "an underscore within": f"sha256:{HEX[:-2]}_0",
        "a sign": f"sha256:+{HEX[1:]}",
        "0x": f"sha256:0x{HEX[2:]}",
        "two colons": f"sha256::{HEX[1:]}",
        "a hyphen": f"sha256-{HEX}",
        "a hash of the web": "sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=",
        "full-width digits": f"sha256:{HEX[:-1]}\uff10",
        "Arabic digits": f"sha256:{HEX[:-1]}\u0660",
        "a long s": f"\u017fha256:{HEX}",
        "a Kelvin sign": f"sha256:{HEX[:-1]}\u212a",
        "a NUL": f"sha256:{HEX[:-1]}\x00",
        "another kind": f"page-sha256:{HEX}",
        "no text": 5,
        "bytes": f"sha256:{HEX}".encode(),
        "two in one": f"sha256:{HEX},field-sha256:{HEX}",
        "a file's line": f"{HEX}  a.md",
        "very long": "sha256:" + "a" * 100_000,
    }

    @pytest.mark.parametrize("text", NONE.values(), ids=NONE)
    def test_what_is_none(self, text: Any, server: FaultyHttp) -> None:
        """It says what is wrong and what to write, in one short line, and exits with 2."""
        for open_any in (open_field, inspect_field):
            with pytest.raises(InvalidPin) as caught:
                open_any(server.url("/woks.zip"), pin=[text], storage_options=OPTIONS)
            assert caught.value.exit_code == 2
            assert len(caught.value.message) < 500
            assert "\n" not in caught.value.message
            assert "\x00" not in caught.value.message
            assert "64 hexadecimal digits" in str(caught.value.hint)
        assert server.asked() == []

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            pytest.param(f"field-sha256:{HEX}\nsha256:{HEX}", "give each its own --pin", id="two"),
            pytest.param(f"sha256:{HEX},field-sha256:{HEX}", "give each its own --pin", id="comma"),
            pytest.param(f"sha256:{HEX} ", "it ends with a space", id="space-after"),
            pytest.param(f"\tsha256:{HEX}", "it begins with a tab", id="tab-before"),
            pytest.param(f"sha256:{HEX}\n", "it ends with a line feed", id="line-feed"),
        ],
    )
    def test_what_shells_make_of_pins(self, text: str, problem: str) -> None:
        """Text that came from another command is told by what is wrong with it, not by a count."""
        with pytest.raises(InvalidPin, match=problem):
            parse_pin(text)

    def test_an_empty_text_is_not_no_pin(self, server: FaultyHttp) -> None:
        """A variable that nobody has set must not switch the check off."""
        for pin in ("", [""], ["sha256:" + HEX, ""]):
            with pytest.raises(InvalidPin):
                open_field(server.url("/woks.zip"), pin=pin)
        assert server.asked() == []

    def test_several(self) -> None:
        """One of each kind, again the same, in any order; two that differ match nothing."""
        archive, field = f"sha256:{HEX}", f"field-sha256:{HEX[::-1]}"
        both = Pins(parse_pin(archive), parse_pin(field))
        for texts in ([archive, field], [field, archive], [field, archive, field.upper()], both):
            assert parse_pins(texts) == both
        assert parse_pins(None) == parse_pins([]) == Pins()
        assert not Pins()
        assert both
        assert parse_pins(archive)
        assert parse_pins(field)
        for pin in (archive, field):
            with pytest.raises(InvalidPin, match="differ"):
                parse_pins([pin, pin[:-1] + "7"])


def test_an_archive_pin_of_what_is_no_archive(server: FaultyHttp, tmp_path: Path) -> None:
    """A folder has none, wherever it is: that is said before anybody is asked."""
    places = [server.url("/woks/"), "s3://bucket/woks/", "github://owner/repo/woks", str(tmp_path)]
    places += ["git+https://host.example/repo.git@main#woks", "memory://woks"]
    for place in places:
        for open_any in (open_field, inspect_field):
            with pytest.raises(InvalidPin, match="of an archive") as caught:
                open_any(place, pin=[f"sha256:{HEX}", f"field-sha256:{HEX}"])
            assert caught.value.exit_code == 2
            assert "field-sha256:" in str(caught.value.hint)
    assert server.asked() == []


class TestBoth:
    """Two pins of one archive: both must match."""

    @pytest.mark.parametrize("at", ["/woks.zip", "here"])
    def test_each_is_looked_at(self, at: str, server: FaultyHttp, tmp_path: Path) -> None:
        location = str(tmp_path / "woks.zip")
        Path(location).write_bytes(packed(FILES))
        if at != "here":
            location = server.url(at)
        field_pin, archive_pin = pins_of(FILES)
        with open_field(location, pin=[field_pin, archive_pin]) as field:
            assert field.digest() == field_pin
            assert field.archive_digest() == archive_pin
        for pins in ([f"field-sha256:{HEX}", archive_pin], [field_pin, f"sha256:{HEX}"]):
            with pytest.raises(PinMismatch) as caught:
                open_field(location, pin=pins)
            assert caught.value.expected in pins
            assert HEX in caught.value.expected


def test_the_bytes_of_an_archive_are_covered_by_its_own_pin_alone(tmp_path: Path) -> None:
    """What else an archive holds is no part of the field: a field pin does not cover that."""
    data = packed({**FILES, "v.sqlite3": b"vectors", "notes~": b"debris"})
    (tmp_path / "woks.zip").write_bytes(data)
    field_pin, _ = pins_of(FILES)
    _, archive_pin = pins_of({**FILES, "v.sqlite3": b"vectors", "notes~": b"debris"})
    for location in (tmp_path / "woks.zip", data):
        with open_field(location, pin=field_pin) as field:
            assert _files(field) == FILES
            assert b"".join(field.archive_chunks()) == b""
        for pins in ([archive_pin], [archive_pin, field_pin]):
            with open_field(location, pin=pins) as field:
                assert b"".join(field.archive_chunks()) == data


def test_a_pin_does_not_turn_other_errors_into_mismatches(
    server: FaultyHttp, tmp_path: Path
) -> None:
    """What is not there is NotFound, and what is too large is too large, with their location."""
    pin = f"sha256:{HEX}"
    for place in (server.url("/gone.zip"), str(tmp_path / "gone.zip")):
        with pytest.raises(NotFound) as missing:
            open_field(place, pin=pin)
        assert missing.value.location == place
    with pytest.raises(NotFound):
        open_field(tmp_path / "gone", pin=f"field-sha256:{HEX}")
    small = Limits(entries=1, total_bytes=10, directory_bytes=10)
    (tmp_path / "woks.zip").write_bytes(packed(FILES))
    for place in (server.url("/woks.zip"), str(tmp_path / "woks.zip")):
        with pytest.raises(LimitExceeded) as large:
            open_field(place, pin=pin, limits=small)
        assert large.value.location == place


@pytest.mark.parametrize("pin", [None, f"sha256:{HEX}"], ids=["no pin", "a pin"])
def test_a_file_that_the_system_does_not_read(
    pin: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is an error of ours, whether it has no end or cannot be read in the middle."""

    def broken(*_: object) -> bytes:
        raise OSError(errno.EIO, "of the test")

    with pytest.raises(SourceUnavailable) as endless:
        open_field("/proc/self/mem", pin=pin)
    assert endless.value.location == "/proc/self/mem"
    path = tmp_path / "woks.zip"
    path.write_bytes(packed(FILES))
    monkeypatch.setattr(SeekableFile, "read_into", broken)
    monkeypatch.setattr(SeekableFile, "read_at", broken)
    with pytest.raises(SourceUnavailable) as damaged:
        open_field(path, pin=pin)
    assert damaged.value.location == str(path)


def test_a_pin_of_the_right_field(server: FaultyHttp, tmp_path: Path) -> None:
    """It is read as without one, in capital letters too, and every page of it."""
    field_pin, archive_pin = pins_of(FILES)
    (tmp_path / "woks.zip").write_bytes(packed(FILES))
    with open(tmp_path / "woks.zip", "rb") as file:
        for location, pin in (
            (server.url("/woks/"), field_pin),
            (server.url("/woks.zip"), archive_pin),
            (server.url("/woks.zip"), field_pin.upper()),
            (tmp_path / "woks.zip", archive_pin.upper()),
            (file, parse_pin(archive_pin)),
            (packed(FILES), parse_pins([archive_pin, field_pin])),
        ):
            with open_field(location, pin=pin) as field:
                assert _files(field) == FILES
        assert not file.closed


def _files(field: Field) -> dict[str, bytes]:
    return {
        name: b"".join(field.chunks(name)) for name in sorted((*field.pages, *field.attachments))
    }
