"""A field that is served is the same field, read by our own reader (MF701 to MF703)."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import threading
import zipfile
from pathlib import Path

import pytest
from tests.agents.served import folder, page, serving, spawned, stopped
from tests.cli.command import archive, call

from memoryfield_agents.serving import Settings
from memoryfield_readers import LocationError, PinMismatch, open_field

FILES: dict[str, bytes | str] = {
    "index.md": page("Notes", "See [woks](woks.md)."),
    "woks.md": page("Woks"),
    "Not A Rule.md": "a name that breaks a rule",
    "a plan, 100%.pdf": b"%PDF",
    "Käse und Brot.txt": "é".encode(),
    "日本 #1?.bin": bytes(range(256)),
    "empty.txt": b"",
    "search": b"a file whose name is that of a route",
    "listing.json": b"{}",
}


@pytest.fixture(autouse=True)
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NETRC", str(tmp_path / "none"))


def places(around: Path) -> dict[str, Path]:
    raw = {
        name: content.encode() if isinstance(content, str) else content
        for name, content in FILES.items()
    }
    pages_only = {name: content for name, content in raw.items() if name.endswith(".md")}
    return {
        "folder": folder(around / "folder", FILES),
        "archive": archive(around / "notes.memoryfield.zip", raw),
        "pages": folder(around / "pages", pages_only),
        "attachment": folder(around / "attachment", {"only.txt": b"x"}),
    }


def test_the_pin_is_that_of_the_source(tmp_path: Path) -> None:
    """Of a folder and an archive, with attachments and odd names, one by one and side by side."""
    sources = places(tmp_path)
    with serving(*(f"{name}={place}" for name, place in sources.items())) as several:
        for name, place in sources.items():
            with open_field(str(place)) as source, open_field(f"{several.url}{name}/") as served:
                assert served.digest() == source.digest(), name
                assert served.pages == source.pages
                assert served.attachments == source.attachments
                for each in (*source.pages, *source.attachments):
                    assert served.content(each) == source.content(each)
    with serving(sources["folder"]) as one, open_field(one.url) as served:
        assert served.digest() == one.get("/memoryfield.zip").headers["memoryfield-pin"]


def test_the_archive_is_the_same_wherever_it_is_made(tmp_path: Path) -> None:
    """From a folder and from an archive the same bytes; `pack` makes them, too."""
    sources = places(tmp_path)
    with serving(f"a={sources['folder']}", f"b={sources['archive']}") as server:
        one, two = (server.get(f"/{name}/memoryfield.zip") for name in "ab")
    assert one.body == two.body
    assert one.headers["etag"] == two.headers["etag"]
    packed = tmp_path / "packed.memoryfield.zip"
    assert call("pack", sources["folder"], "-o", packed).code == 0
    assert packed.read_bytes() == one.body
    pin = one.headers["memoryfield-archive-pin"]
    with open_field(str(packed), pin=pin) as field:
        assert field.digest() == one.headers["memoryfield-pin"]
    with zipfile.ZipFile(io.BytesIO(one.body)) as found:
        assert found.testzip() is None


def test_a_reader_with_a_pin_takes_nothing_else(tmp_path: Path) -> None:
    """Neither does a server that was given one."""
    place = folder(tmp_path / "field", {"a.md": page("A")})
    with open_field(str(place)) as field:
        pin = field.digest()
    with serving(place, settings=Settings(look_seconds=0)) as server:
        with open_field(server.url, pin=pin) as served:
            assert served.page("a.md").raw == page("A").encode()
        (place / "a.md").write_text(page("B"))
        assert server.get("/a.md").body == page("B").encode()
        with pytest.raises(PinMismatch):
            open_field(server.url, pin=pin)
    done = call("serve", "--port", "0", "--pin", pin, place)
    assert done.code == 3


def test_a_folder_that_changes_is_followed(tmp_path: Path) -> None:
    """A page that is new, another one or gone; a server that is frozen sees none of it."""
    place = folder(tmp_path / "field", {"a.md": page("A"), "b.md": page("B")})
    with (
        serving(place, settings=Settings(look_seconds=0)) as server,
        serving(place) as frozen,
    ):
        before = server.get("/listing.json").headers["etag"]
        (place / "c.md").write_text(page("C"))
        assert server.get("/c.md").status == 200
        (place / "a.md").write_text(page("Z"))
        assert server.get("/a.md").body == page("Z").encode()
        (place / "b.md").unlink()
        assert server.get("/b.md").status == 404
        assert server.get("/listing.json").headers["etag"] != before
        assert [frozen.get(f"/{name}.md").status for name in "abc"] == [200, 200, 404]
        assert frozen.get("/a.md").body == page("A").encode()
        shutil.rmtree(place)
        assert server.get("/a.md").body == page("Z").encode()
        server.get("/a.md")
        assert sum("is served as it was" in line for line in server.log) == 1
        folder(place, {"new.md": page("New")})
        assert server.get("/new.md").status == 200


@pytest.mark.skipif(os.name != "posix", reason="links need no right there")
def test_a_page_that_can_be_read_no_more_is_told(tmp_path: Path) -> None:
    """Once, when it is left out, and when all can be read again."""
    place = folder(tmp_path / "field", {"a.md": page("A"), "b.md": page("B")})
    with serving(f"notes={place}", settings=Settings(look_seconds=0)) as server:
        (place / "b.md").unlink()
        (place / "b.md").symlink_to(folder(tmp_path / "other", {"b.md": "B"}) / "b.md")
        assert [server.get("/b.md").status for _ in range(2)] == [404, 404]
        (place / "b.md").unlink()
        server.get("/a.md")
    told = [line for line in server.log if line.startswith("memoryfield: ")]
    assert len(told) == 2
    assert told[0].startswith("memoryfield: notes: b.md: ")
    assert told[1] == "memoryfield: notes: all of it can be read again"


def test_an_archive_that_is_replaced_is_followed(tmp_path: Path) -> None:
    """The new one, or the old one where the new one is none."""
    place = archive(tmp_path / "f.memoryfield.zip", {"a.md": b"# A\n"})
    with serving(place, settings=Settings(look_seconds=0)) as server:
        other = archive(tmp_path / "other.zip", {"b.md": b"# B\n"})
        os.replace(other, place)
        assert server.get("/b.md").status == 200
        place.write_bytes(b"no archive")
        assert server.get("/b.md").status == 200
        place.unlink()
        assert server.get("/b.md").status == 200


def test_many_ask_while_it_changes(tmp_path: Path) -> None:
    """Each answer is of one version of the field, whole."""
    place = folder(tmp_path / "field", {"a.md": "0" * 9999})
    seen: list[bytes] = []

    def ask() -> None:
        seen.extend(server.get("/a.md").body for _ in range(15))

    with serving(place, settings=Settings(look_seconds=0)) as server:
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for number in range(10):
            (tmp_path / "new").write_text(str(number) * 9999)
            os.replace(tmp_path / "new", place / "a.md")
        for thread in threads:
            thread.join()
    assert all(body == body[:1] * 9999 for body in seen)
    assert not any(line.startswith("fault") for line in server.log)


def test_only_what_was_named_is_served(tmp_path: Path) -> None:
    """No request names a place; two fields of one name are a fault of who starts the server."""
    one, two = (folder(tmp_path / each / "notes", {"a.md": page("A")}) for each in "xy")
    with serving(f"one={one}") as server:
        for path in (f"/{two}/a.md", "/two/", f"/?field={two}", f"/search?q=A&field={two}"):
            assert server.get(path).status in (400, 404, 200)
            assert b"y/notes" not in server.get(path).body
    done = call("serve", "--port", "0", one, two)
    assert (done.code, "another name" in done.err) == (2, True)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not here")
def test_curl_resumes_and_keeps(tmp_path: Path) -> None:
    """A download that was broken off, and one that is still the same."""
    place = folder(tmp_path / "field", {"a.md": page("A", "x" * 5000)})
    target, tag = tmp_path / "a.md", tmp_path / "tag"
    with serving(place) as server:
        target.write_bytes(page("A", "x" * 5000).encode()[:1000])
        run = ["curl", "-sS", "-o", str(target), "-w", "%{http_code}"]
        done = subprocess.run(
            [*run, "-C", "-", f"{server.url}a.md"], capture_output=True, check=True
        )
        assert done.stdout == b"206"
        assert target.read_text() == page("A", "x" * 5000)
        tags = ["--etag-save", str(tag), "--etag-compare", str(tag)]
        codes = [
            subprocess.run(
                [*run, *tags, f"{server.url}a.md"], capture_output=True, check=True
            ).stdout
            for _ in range(2)
        ]
        assert codes == [b"200", b"304"]


def test_the_command(tmp_path: Path) -> None:
    """One line when it is ready, with URL and pins; stdout is empty; SIGTERM ends it well."""
    place = folder(tmp_path / "field", {"a.md": page("A")})
    log = tmp_path / "log"
    with open_field(str(place)) as field:
        pin = field.digest()
    with spawned("--log", log, place, f"two={place}") as server:
        assert server.get("/two/a.md").status == 200
        assert server.get("/%22%0a", User_Agent='x" 200 "\x1b[31m').status == 400
        assert stopped(server) == 0
        assert server.process is not None
        assert server.process.stdout is not None
        assert server.process.stdout.read() == b""
    (line,) = server.log
    url = server.url
    assert line == f"memoryfield: serving {url} {url}field/ {pin} {url}two/ {pin}"
    first, second = log.read_text().splitlines()
    assert '- "GET /two/a.md HTTP/1.1" 200' in first
    assert '"GET /%22%0a HTTP/1.1" 400' in second
    assert second.endswith('"x\\" 200 \\"\\x1b[31m"')


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 2), (["--port", "99999", "F"], 2), (["--auth-file", "none", "F"], 4), (["none"], 4),
        (["--host", "no.such.host.invalid", "--public", "F"], 2), (["UP=F"], 2),
        (["--pin", "x", "F"], 2),
        (["--log", "none/log", "F"], 2), (["--hash-password", "a:b"], 2),
    ],
    ids=lambda value: None if isinstance(value, int) else "-".join(value) or "nothing",
)  # fmt: skip
def test_wrong_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int
) -> None:
    """Told at start, in one line."""
    monkeypatch.chdir(tmp_path)
    folder(tmp_path / "F", {"a.md": page("A")})
    done = call("serve", *(["--port", "0"] if "--port" not in arguments else []), *arguments)
    assert done.code == code, done.err
    assert done.stdout == b""


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    """4: the service cannot be had."""
    place = folder(tmp_path / "F", {"a.md": page("A")})
    with serving(place) as server:
        done = call("serve", "--port", str(server.port), place)
    assert (done.code, "--port 0" in done.err) == (4, True)


def test_the_host_may_be_none() -> None:
    """What is no host is told as such."""
    from memoryfield_agents.serving.running import listening

    with pytest.raises(LocationError):
        listening("a" * 300, 0)
