"""What each source elsewhere can carry, and what it cannot; its places go away again."""

from __future__ import annotations

import http.client
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.answers import Knowing
from tests.conformance.suites import STEEL, Given, archive, case_of, cases_of, field

from memoryfield_readers import MemoryfieldError, SourceUnavailable, open_field
from memoryfield_validator.conformance import Answer, Elsewhere, Ours, Task, run_cases
from memoryfield_validator.conformance.branches import Branches
from memoryfield_validator.conformance.loopback_server import Content, LoopbackServer


def file(**given: Any) -> Given:
    """A field of a clean page and this beside it."""
    return field({"name": "a.md", "text": STEEL}, given)


FIFO = {"name": "f", "special": "fifo"}
LINK = {"name": "f", "link": "a.md"}
ENTRIES = {"limits": {"entries": 9}}
TAR = archive(archive={"file-name": "x.tar", "bytes": {"text": ""}})
NOT_CARRIED: dict[str, tuple[str, Given, str]] = {
    "a FIFO on a server": ("http", file(**FIFO), "neither links nor FIFOs"),
    "a link on a server": ("http", file(**LINK), "neither links nor FIFOs"),
    "a listing": ("http", file(name="listing.md", text=""), "where there is listing.md"),
    "an archive": ("http", file(name="memoryfield.zip", text=""), "where there is memoryfield.zip"),
    "a backslash on a server": ("http", file(name="b\\.md", text=""), "is no name"),
    ".git on a server": ("http", file(name=".git/HEAD", text=""), "belongs to a directory"),
    "a count of what is deeper": ("http", file(name="x/y", text="") | ENTRIES, "no sub-dir"),
    "a FIFO in an archive": ("http-archive", file(**FIFO), "an archive cannot hold 'f'"),
    "another ending": ("http-archive", TAR, "end in .zip"),
    "a FIFO in git": ("git", file(**FIFO), "git keeps no FIFO"),
    "an empty folder": ("git", file(name="x", special="folder"), "git keeps no empty folder"),
    ".git in git": ("git", file(name="x/.GIT/y", text=""), "git keeps nothing that is called .git"),
    "a backslash in git": ("git", file(name="b\\.md", text=""), "is no name"),
    "nowhere to write": ("s3", field(), "nobody has said where s3 may be written to"),
}  # fmt: skip


@pytest.mark.parametrize(("source", "given", "reason"), NOT_CARRIED.values(), ids=NOT_CARRIED)
def test_what_a_source_cannot_carry(source: str, given: Given, reason: str, tmp_path: Path) -> None:
    """The case is skipped, with why, and nobody is asked; the next one is put."""
    knowing = Knowing()
    cases = cases_of(tmp_path, given, field(id="mf304-other"))
    first, second = run_cases(cases, knowing, scratch=tmp_path, sources=[source])
    assert first.result == "skipped"
    assert reason in (first.reason or "")
    expected = [] if source == "s3" else [("mf304-other", source)]
    assert knowing.asked == expected
    assert second.result == ("pass" if expected else "skipped")


@pytest.mark.parametrize(
    "error", [OSError("no"), KeyboardInterrupt()], ids=["fails", "interrupted"]
)
def test_a_repository_that_is_not_finished_is_removed(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever keeps git from writing it, nothing stays behind."""
    cases = cases_of(tmp_path, field())
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    seen: list[Path] = []

    def fails(*arguments: object, **named: object) -> None:
        seen.extend(scratch.iterdir())
        raise error

    monkeypatch.setattr("subprocess.run", fails)
    with pytest.raises((SourceUnavailable, KeyboardInterrupt)):
        Branches(cases, scratch)
    assert len(seen) == 1
    assert [*scratch.iterdir()] == []


@pytest.mark.parametrize("source", ["http", "http-archive", "git"])
def test_places_are_gone_afterwards(source: str, tmp_path: Path) -> None:
    """A place holds the files while the question is asked, and nothing stays of it."""
    seen: list[Elsewhere] = []

    class Looking(Knowing):
        def answer(self, task: Task) -> Answer:
            assert isinstance(task.place, Elsewhere)
            seen.append(task.place)
            with open_field(task.place.location, storage_options=task.place.options) as opened:
                assert opened.page("a.md").raw == STEEL.encode()
            return super().answer(task)

    scratch = tmp_path / "scratch"
    scratch.mkdir()
    [outcome] = run_cases(
        [case_of(field(), tmp_path)], Looking(), scratch=scratch, sources=[source]
    )
    assert outcome.result == "pass"
    [place] = seen
    with pytest.raises(MemoryfieldError):
        open_field(place.location, storage_options=place.options).close()
    assert [*scratch.iterdir()] == []


def test_a_proxy_before_this_machine_is_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy knows nothing of what is served here."""
    monkeypatch.setenv("http_proxy", "http://proxy.example.org:3128")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    case = case_of(field(), tmp_path)
    [outcome] = run_cases([case], Ours(), sources=["http"])
    assert (outcome.result, "NO_PROXY" in (outcome.reason or "")) == ("skipped", True)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    [outcome] = run_cases([case], Ours(), sources=["http"])
    assert outcome.result == "pass"


RANGES: dict[str, tuple[int, bytes, str | None]] = {
    "bytes=0-2": (206, b"012", "bytes 0-2/10"),
    "bytes=7-": (206, b"789", "bytes 7-9/10"),
    "bytes=8-99": (206, b"89", "bytes 8-9/10"),
    "bytes=-3": (206, b"789", "bytes 7-9/10"),
    "bytes=-99": (206, b"0123456789", "bytes 0-9/10"),
    "bytes=10-": (416, b"", "bytes */10"),
    "bytes=-0": (416, b"", "bytes */10"),
    "lines=1-2": (416, b"", "bytes */10"),
}


def test_the_server_gives_ranges() -> None:
    """Whole files, ranges of them, and no file where there is none, over one connection."""
    server = LoopbackServer()
    connection = http.client.HTTPConnection(server.base.removeprefix("http://"), timeout=30)
    try:
        server.files = {"/a": Content(b"0123456789", "text/plain")}
        ask = _asking(connection)
        status, body, headers = ask("GET", "/a", {})
        assert (status, body, headers["Content-Length"]) == (200, b"0123456789", "10")
        tag = headers["ETag"]
        for wanted, expected in RANGES.items():
            status, body, headers = ask("GET", "/a", {"Range": wanted, "If-Range": tag})
            assert (status, body, headers.get("Content-Range")) == expected, wanted
        assert ask("GET", "/a", {"Range": "bytes=0-2", "If-Range": '"x"'})[0] == 200
        assert ask("GET", "/a", {"If-None-Match": tag})[:2] == (304, b"")
        assert ask("HEAD", "/a", {})[:2] == (200, b"")
        assert ask("GET", "/b", {})[0] == 404
        assert ask("GET", "/a", {})[1] == b"0123456789"
    finally:
        connection.close()
        server.close()


def _asking(
    connection: http.client.HTTPConnection,
) -> Callable[[str, str, dict[str, str]], tuple[int, bytes, http.client.HTTPMessage]]:
    def ask(
        method: str, path: str, headers: dict[str, str]
    ) -> tuple[int, bytes, http.client.HTTPMessage]:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.headers

    return ask
