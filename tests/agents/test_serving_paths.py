"""Nothing but the files of a field can be reached (MF706)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.agents.served import Server, folder, page, parts_of, serving

from memoryfield_agents.serving.targets import BadTarget, query_of, target_of

SECRET = b"the secret beside the field"
ODD = {
    "a plan.txt": b"blank", "Käse.txt": "é".encode(), "50%20off.txt": b"percent",
    "a..b.txt": b"dots", "q?.txt": b"question", "x#y.txt": b"hash", "日本.bin": b"kanji",
    "semi;colon=1&2.txt": b"marks",
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    around = tmp_path_factory.mktemp("paths")
    field = folder(around / "notes", {"woks.md": page("Woks"), **ODD, ".hidden.md": SECRET})
    (around / "secret.md").write_bytes(SECRET)
    (field / "sub").mkdir()
    (field / "sub" / "inner.md").write_bytes(SECRET)
    (field / "link.md").symlink_to(around / "secret.md")
    os.mkfifo(field / "fifo.md")
    return field


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[Server]:
    with serving(place) as found:
        yield found


TRAVERSALS = [
    b"/../secret.md", b"/..%2fsecret.md", b"/%2e%2e/secret.md", b"/%2e%2e%2fsecret.md",
    b"/%2E%2E%2Fsecret.md", b"/.%2e/secret.md", b"/..%5csecret.md", b"/..\\secret.md",
    b"/%252e%252e%252fsecret.md", b"/%25252e%25252e/secret.md", b"/..%c0%afsecret.md",
    b"/%c0%ae%c0%ae/secret.md", b"/%e0%80%ae%e0%80%ae/secret.md", b"/..%ef%bc%8fsecret.md",
    b"/%uff0e%uff0e/secret.md", b"//etc/passwd", b"/etc/passwd", b"/%2fetc%2fpasswd",
    b"/./woks.md", b"/sub/../woks.md", b"/sub/inner.md", b"/sub%2finner.md", b"/woks.md/..",
    b"/woks.md%00", b"/woks.md%00.txt", b"/woks.md%0a", b"/woks.md%0d%0aX:%20y", b"/woks.md%7f",
    b"/woks.md%c2%85", b"/%ff.md", b"/%", b"/%2", b"/%zz.md", b"/woks.md/", b"/WOKS.md", b"/woks",
    b"/.hidden.md", b"/link.md", b"/fifo.md", b"/sub", b"/sub/", b"/file:///etc/passwd", b"/~root",
    b"/C:%5cWindows%5cwin.ini", b"/C:/Windows/win.ini", b"/-/../../secret.md", b"/-/app.py",
    b"/-/%2e%2e/app.py", b"/-/", b"/notes/woks.md", b"/woks.md;x",
    b"/simplecache::file:///etc/hostname",
    b"/" + b"a" * 5000, b"/" + b"../" * 300 + b"secret.md",
    b"http://127.0.0.1/woks.md", b"*", b"woks.md",
]  # fmt: skip


@pytest.mark.parametrize("target", TRAVERSALS, ids=lambda target: target[:40].decode())
def test_what_is_no_name_is_refused(server: Server, target: bytes) -> None:
    """Sent over a raw socket, since clients tidy what they send."""
    answer = server.raw(
        b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    )
    status, _, body = parts_of(answer)
    assert status in (400, 404, 414)
    assert SECRET not in answer
    assert b"root:" not in body
    assert server.get("/woks.md").status == 200


@pytest.mark.parametrize(
    "target",
    [
        "/%2e%2e%2fa.md", "/a.md%0a", "/a.md%00", "/..%5c%5ca.md", "/%252e%252e%252fa.md",
        "/../a.md",
        "//a.md", "/%c0%ae%c0%ae.md",
    ],
)  # fmt: skip
def test_attempts_are_told_as_such(server: Server, target: str) -> None:
    """400, and not the 404 of a name that might be there one day."""
    assert server.get(target).status == 400
    assert server.get("/a.md").status == 404


@pytest.mark.parametrize("name", ODD, ids=list(ODD))
def test_odd_names_are_names(server: Server, name: str) -> None:
    """Each byte of them percent-encoded, or as few as a client has to."""
    full = "/" + "".join(f"%{byte:02X}" for byte in name.encode())
    got = server.get(full)
    assert (got.status, got.body) == (200, ODD[name])


def test_nothing_is_touched_for_a_request(server: Server, place: Path, tmp_path: Path) -> None:
    """What was read at start is served, though all of it is gone from the disk."""
    moved = tmp_path / "moved"
    place.rename(moved)
    try:
        assert server.get("/woks.md").status == 200
        assert server.get("/memoryfield.zip").status == 200
        assert server.get("/../notes/woks.md").status == 400
    finally:
        moved.rename(place)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "MKCOL"])
def test_only_get_and_head_exist(server: Server, method: str) -> None:
    """405 says which."""
    got = server.get("/woks.md", method)
    assert (got.status, got.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("announced", [b"Content-Length: 5", b"Transfer-Encoding: chunked"])
@pytest.mark.parametrize("host", [b"localhost", b"evil.example"])
def test_a_body_is_refused(server: Server, announced: bytes, host: bytes) -> None:
    """It is not waited for: the connection ends."""
    answer = server.raw(b"GET / HTTP/1.1\r\nHost: " + host + b"\r\n" + announced + b"\r\n\r\n")
    status, head, _ = parts_of(answer)
    assert status == (413 if host == b"localhost" else 403)
    assert b"connection: close" in [line.lower() for line in head]


KINDS = {
    "x.png": ("image/png", False), "x.txt": ("text/plain; charset=utf-8", False),
    "x.svg": ("application/octet-stream", True), "x.html": ("application/octet-stream", True),
    "x.js": ("application/octet-stream", True), "x.pdf": ("application/pdf", True),
    "x.xhtml": ("application/octet-stream", True), "x": ("application/octet-stream", True),
    "x.json": ("application/json", True), "x.sqlite3": ("application/octet-stream", True),
    "x.MD": ("application/octet-stream", True), "\u202ex.html": ("application/octet-stream", True),
    "a:b.png": ("image/png", False),
}  # fmt: skip


def test_what_could_run_is_saved(tmp_path: Path) -> None:
    """No attachment is shown by a browser that could do anything there."""
    scripts = dict.fromkeys(KINDS, b"<script>alert(1)</script>")
    with serving(folder(tmp_path / "f", {"a.md": page("A"), **scripts})) as server:
        for name, (kind, saved) in KINDS.items():
            encoded = "".join(f"%{byte:02x}" for byte in name.encode())
            got = server.get("/" + encoded, Accept="text/html")
            assert got.status == 200
            assert got.headers["content-type"] == kind
            assert got.headers.get("content-disposition", "").startswith("attachment") == saved
            assert got.headers["x-content-type-options"] == "nosniff"
            assert "sandbox" in got.headers["content-security-policy"]
        archive = server.get("/memoryfield.zip")
    assert (archive.status, b"MF603" in archive.body) == (404, True)


@given(st.binary(max_size=60))
@settings(max_examples=300, suppress_health_check=list(HealthCheck), deadline=None)
def test_any_bytes_are_a_name_or_refused(raw: bytes) -> None:
    """What passes holds nothing that leads elsewhere."""
    try:
        target = target_of(b"/" + raw)
    except BadTarget:
        return
    parts = target.path.split("/")
    assert ".." not in parts
    assert "." not in parts
    assert "\\" not in target.path
    assert target.path.isprintable() or not any(ord(char) < 32 for char in target.path)


@pytest.mark.parametrize(
    "raw", [b"q=" + b"a" * 20_000, b"&".join([b"a=b"] * 50)], ids=["long", "many"]
)
def test_queries_have_bounds(raw: bytes) -> None:
    """Neither long nor many."""
    with pytest.raises(BadTarget):
        query_of(raw)
