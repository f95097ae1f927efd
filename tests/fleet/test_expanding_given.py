"""Paths, lists and lock files on this machine: which fields are meant, and what is told else."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from memoryfield_fleet import Refused, Target
from memoryfield_fleet.expanding import targets
from memoryfield_fleet.expanding.seen import Seen
from memoryfield_readers import DEFAULT_LIMITS, LocationError, NotFound, open_field
from memoryfield_readers.lock import LOCK_NAME, LockFile, lock_field, remember, render_lock

PAGE = b"---\ntitle: A\n---\nText.\n"


def field(path: Path, page: bytes = PAGE) -> Path:
    path.mkdir(parents=True)
    (path / "a.md").write_bytes(page)
    return path


def every(*given: str, **options: Any) -> list[Target | Refused]:
    return list(targets(given, **options))


def located(found: Iterable[Target | Refused]) -> list[str]:
    items = list(found)
    assert all(isinstance(each, Target) for each in items), items
    return [each.location for each in items]


def the_error(found: list[Target | Refused]) -> Refused:
    (one,) = found
    assert isinstance(one, Refused)
    return one


def version(path: Path) -> str:
    (one,) = every(str(path))
    assert isinstance(one, Target)
    assert one.version is not None
    assert (one.host, one.trusted) == ("", True)
    return one.version


def test_a_version_is_another_one_when_the_field_is(tmp_path: Path) -> None:
    """Whatever changes in a folder or an archive; and it stays while nothing does."""
    place = field(tmp_path / "f")
    seen = [version(place)]

    def changed() -> None:
        assert version(place) not in seen
        seen.append(version(place))

    (place / "b.md").write_bytes(PAGE)
    changed()
    (place / "sub").mkdir()
    changed()
    (place / "sub" / "x.md").write_bytes(PAGE)
    changed()
    os.utime(place / "b.md", ns=(1, 1))
    changed()
    (place / "new").write_bytes(PAGE)
    os.utime(place / "new", ns=(1, 1))
    os.replace(place / "new", place / "b.md")
    changed()
    (place / "link.md").symlink_to("b.md")
    changed()
    os.utime(place / "b.md", ns=(2, 2))
    changed()
    (place / "b.md").unlink()
    changed()
    (place / ".git").mkdir()
    before = version(place)
    (place / ".git" / "x").write_bytes(b"no part of a field")
    os.utime(place / ".git", ns=(1, 1))
    (place / ".git" / "y").write_bytes(b"")
    os.utime(place / ".git", ns=(1, 1))
    after = version(place)
    (place / ".git" / "z").write_bytes(b"")
    os.utime(place / ".git", ns=(1, 1))
    assert before != after == version(place)
    zipped = tmp_path / "f.zip"
    zipped.write_bytes(b"one")
    first = version(zipped)
    zipped.write_bytes(b"three")
    assert first != version(zipped)
    put_back = zipped.stat()
    first = version(zipped)
    zipped.write_bytes(b"seven")
    os.utime(zipped, ns=(put_back.st_atime_ns, put_back.st_mtime_ns))
    assert first != version(zipped)


def test_a_folder_of_too_many_entries_has_no_version(tmp_path: Path) -> None:
    place = field(tmp_path / "f")
    limits = DEFAULT_LIMITS.with_settings(["entries=1"])
    assert every(str(place), limits=limits) == [Target(str(place), version(place))]
    (place / "b.md").write_bytes(PAGE)
    assert every(str(place), limits=limits) == [Target(str(place))]


def test_each_location_is_given_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it is written like; the first one counts, and order is that of what is given."""
    monkeypatch.chdir(tmp_path)
    for name in ("b", "a", "c"):
        field(tmp_path / name)
    (tmp_path / "some.txt").write_text("a\n./c/\n../nowhere\nb\n")
    found = every("b", "*/", "some.txt", f"{tmp_path}/a", "b/../c")
    assert located(found[:3]) == ["b", "./a", "./c"]
    refusal = the_error(found[3:])
    assert refusal.location == "some.txt:3: ../nowhere"
    assert isinstance(refusal.error, NotFound)


@pytest.mark.parametrize("few", [0, 10, 1000], ids=["file", "both", "memory"])
def test_what_was_seen_is_known_however_much_it_is(few: int) -> None:
    with Seen(few) as seen:
        assert all(seen.is_new(f"s3://bucket/{number}") for number in range(300))
        assert not any(seen.is_new(f"s3://bucket/{number}") for number in range(300))
        assert seen.is_new("s3://bucket/\udcff")


def test_no_room_for_what_was_seen_is_told_and_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    def full(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("memoryfield_fleet.expanding.given.Seen", lambda: Seen(1))
    for name in ("a", "b", "c"):
        field(tmp_path / name)
    monkeypatch.setattr(sqlite3, "connect", full)
    first, last = every(f"{tmp_path}/*/")
    assert isinstance(first, Target)
    assert isinstance(last, Refused)
    assert "disk is full" in last.error.message


def test_bad_lines_of_a_list_are_told_by_file_and_line(tmp_path: Path) -> None:
    """And the good ones are given out: comments, blanks, a BOM and CRLF are no matter."""
    good = field(tmp_path / "good")
    wild = field(tmp_path / "[ab]*")
    lines = [
        b"\xef\xbb\xbf# a comment",
        b"",
        b"  " + os.fsencode(good) + b"  \r",
        b"https://me:secret@example.org/f/",
        b"x" * 20_000,
        b"caf\xe9/",
        b"nul\0",
        b"-",
        os.fsencode(wild),
        os.fsencode(tmp_path) + b"/*/",
        b"https://example.org/x.zip?token=secret",
        b"s3://bucket/f/",
        b"https://Example.org:8443/f/",
        b"@nobody",
        b"https://example.org/f.zip?download=1",
    ]
    path = tmp_path / "fields.list"
    path.write_bytes(b"\n".join(lines))
    found = every(str(path))
    good_ones = [each for each in found if isinstance(each, Target)]
    assert [(each.location, each.host) for each in good_ones] == [
        (str(good), ""),
        (str(wild), ""),
        ("s3://bucket/f/", "s3://bucket"),
        ("https://Example.org:8443/f/", "example.org:8443"),
    ]
    bad = {each.location: each.error for each in found if isinstance(each, Refused)}
    told = [(where.rpartition(f"{path}:")[2].split(": ", 1)) for where in bad]
    assert [text for number, text in told if number != "5"] == [
        "https://example.org/f/", "caf\\xe9/", "nul\\x00", "-", f"{tmp_path}/*/",
        "https://example.org/x.zip?…", "@nobody", "https://example.org/f.zip?…",
    ]  # fmt: skip
    bad = {where.split(": ")[0]: error for where, error in bad.items()}
    assert list(bad) == [f"{path}:{number}" for number in (4, 5, 6, 7, 8, 10, 11, 14, 15)]
    assert "command line" in (bad[f"{path}:10"].hint or "")
    assert max(map(len, (text for _, text in told))) <= 200
    assert all("secret" not in f"{error} {error.location} {error.hint}" for error in bad.values())
    assert "characters" in bad[f"{path}:5"].message
    assert "not UTF-8" in bad[f"{path}:6"].message
    with io.BytesIO(b"\n".join(lines)) as stdin:
        again = every("-", stdin=stdin)
    assert [each for each in again if isinstance(each, Target)] == good_ones
    assert next(each.location for each in again if isinstance(each, Refused)).startswith(
        "stdin:4: "
    )


def test_a_list_is_read_as_it_is_wanted() -> None:
    """A list without end gives fields all the same."""

    class Endless(io.RawIOBase):
        lines = 0

        def readline(self, size: int | None = -1, /) -> bytes:
            self.lines += 1
            return b"https://example.org/%d/\n" % self.lines

    with Endless() as endless:
        found = targets(["-"], stdin=endless)  # type: ignore[arg-type] # it is only read by lines
        assert next(found) == Target("https://example.org/1/", host="example.org")
        assert next(found) == Target("https://example.org/2/", host="example.org")
        assert endless.lines == 2


def test_what_names_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pattern or a name that leads to nothing is an error, never an end without a word."""
    monkeypatch.setattr("sys.stdin", None)
    (tmp_path / "other.toml").write_text("[tool]\n")
    os.mkfifo(tmp_path / "pipe")
    for text, words in {
        f"{tmp_path}/*/": "no field fits",
        f"{tmp_path}/missing/*": "no field fits",
        f"{tmp_path}/missing": "no such file",
        f"{tmp_path}/missing.txt": "no such file",
        f"{tmp_path}/other.toml": "version",
        f"{tmp_path}/pipe": "neither a folder nor a file",
        "gs://bucket/*/": "a pattern stands for",
        "https://example.org/*.zip": "a pattern stands for",
        "s3://buck*/x/": "not for buckets",
        "s3://bucket/../*.zip": "no plain path",
        "s3://bucket/a//*.zip": "no plain path",
        "s3://bucket/*.zip?versionId=v": "no version",
        "-": "nothing on stdin",
        "": "no path",
        "nul\0*": "no path",
        "x" * 5000: "characters",
        f"{tmp_path}/" + "caf\udce9": "not UTF-8",
    }.items():
        refusal = the_error(every(text))
        assert words in refusal.error.message, text
        assert refusal.location
        assert "\0" not in refusal.location


def test_who_lists_nothing_means_nothing(tmp_path: Path) -> None:
    """An empty list and an empty lock file are no failures."""
    for name, text in {"a.txt": "", "b.txt": "# nothing\n\n", LOCK_NAME: ""}.items():
        (tmp_path / name).write_text(text)
        assert every(str(tmp_path / name)) == []


def test_where_paths_are_those_of_others_nothing_here_tells_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are absolute, have no version that was seen here, and need not exist here."""
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        field(tmp_path / name)
    lock_with(tmp_path / "x.lock", {"l": "b", "other": "https://example.org/f/"}, tmp_path / "b")
    with open_field("b") as opened:
        pin = opened.digest()
    found = every("gone", "*/", "x.lock", "./a", "s3://bucket/f/", is_here=False)
    assert [(each.location, each.version) for each in found if isinstance(each, Target)] == [
        (f"{tmp_path}/gone", None), (f"{tmp_path}/a", None), (f"{tmp_path}/b", None),
        ("https://example.org/f/", pin), ("s3://bucket/f/", None),
    ]  # fmt: skip
    [locked] = every("x.lock", is_here=False)[:1]
    assert (locked.location, getattr(locked, "version", None)) == (f"{tmp_path}/b", pin)


def test_what_is_refused_is_told_once_and_shows_no_secret() -> None:
    """Two that may not be shown whole are two all the same."""
    url = "https://h.example/x.zip"
    given = [f"{url}?a=hidden", f"{url}?b=hidden", f"{url}?a=hidden", "https://u:hid/den@h/x"]
    found = every(*given, "https://u:hidden@h.example/y", "https://u:hidden?@h", "none", "none")
    assert [each.location for each in found] == [
        f"{url}?…", f"{url}?… (2)", "https://…", "https://h.example/y", "https://… (3)", "none",
    ]  # fmt: skip


def test_an_option_that_makes_no_sense_is_told_at_once() -> None:
    with pytest.raises(LocationError, match="timeout"):
        targets(["*"], storage_options={"timeout": "soon"})


def lock_with(path: Path, fields: dict[str, str], place: Path) -> None:
    """A lock file of fields that all have the content of one place."""
    with open_field(str(place)) as opened:
        locked = {name: lock_field(name, location, opened) for name, location in fields.items()}
    path.write_text(render_lock(LockFile(path, locked)), encoding="utf-8")


def test_a_lock_file_names_its_fields_at_their_pins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What someone else's may not name is refused, until a person has typed it here."""
    monkeypatch.setenv("MEMORYFIELD_STATE_DIR", str(tmp_path / "state"))
    outside = field(tmp_path / "outside")
    inside = field(tmp_path / "project" / "fields" / "f")
    path = tmp_path / "project" / LOCK_NAME
    fields = {
        "near": "fields/f",
        "far": str(outside),
        "loop": "http://127.0.0.1:8000/f/",
        "public": "https://example.org/f/",
        "gone": "fields/none",
    }
    lock_with(path, fields, inside)
    with open_field(str(inside)) as opened:
        pin = opened.digest()
    found = {each.location: each for each in every(str(path))}
    assert list(found) == [
        f"{path}: far", f"{path}: gone", f"{path}: loop", str(inside), "https://example.org/f/",
    ]  # fmt: skip
    assert found[str(inside)] == Target(str(inside), pin)
    public = Target("https://example.org/f/", pin, "example.org", trusted=False)
    assert found["https://example.org/f/"] == public
    for name in ("far", "loop"):
        refusal = found[f"{path}: {name}"]
        assert isinstance(refusal, Refused)
        assert "someone else" in refusal.error.message
        assert remember(fields[name])
    typed = {each.location: each for each in every(str(path))}
    assert typed[str(outside)] == Target(str(outside), pin)
    loop = Target("http://127.0.0.1:8000/f/", pin, "127.0.0.1:8000")
    assert typed["http://127.0.0.1:8000/f/"] == loop
    monkeypatch.setenv("MEMORYFIELD_LOCK", str(path))
    assert every("@near", "near") == [Target(str(inside), pin)]


def test_a_broken_lock_file_is_told(tmp_path: Path) -> None:
    place = field(tmp_path / "f")
    path = tmp_path / LOCK_NAME
    lock_with(path, {"f": "f"}, place)
    text = path.read_text()
    path.write_text(text.replace("field-sha256:", "field-sha256:0", 1))
    assert the_error(every(str(path))).location == str(path)
    path.write_text(text)
    assert located(every(str(path))) == [str(place)]
