"""Every command ends with the exit code that is documented."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command import FAULTY, GOOD, archive, call, spawn

from memoryfield_cli.main import COMMANDS, EPILOG

READERS = {"info": [], "ls": [], "read": ["woks.md"], "digest": [], "snapshot": []}
"""The commands that read a location, with what follows it; `validate` refuses nothing."""

CODES = {
    # location: (validate, every other command)
    "good": (0, 0),
    "good.memoryfield.zip": (0, 0),
    "faulty": (1, 0),
    "faulty.memoryfield.zip": (1, 0),
    "warned": (0, 0),
    "noted": (0, 0),
    "unsafe.memoryfield.zip": (1, 3),
    "text.memoryfield.zip": (1, 3),
    "zero.memoryfield.zip": (1, 3),
    "cut.memoryfield.zip": (1, 3),
    "missing": (4, 4),
    "missing.memoryfield.zip": (4, 4),
    "good/woks.md/below": (4, 4),
    "fifo": (2, 2),
}


def expected(command: str, place: str) -> int:
    return CODES[place][command != "validate"]


@pytest.mark.parametrize("place", CODES)
@pytest.mark.parametrize("command", ["validate", *READERS, "pin"])
def test_location_decides_the_exit_code(command: str, place: str, places: Path) -> None:
    """Good is 0, findings are 1, an unsafe archive 3, what cannot be had 4."""
    done = call(command, places / place, *READERS.get(command, []))
    assert done.code == expected(command, place), done.err
    if done.code > 1:
        assert done.stdout == b""
        assert done.err.startswith(f"memoryfield: {places / place}")
        assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "place"),
    [
        *(("validate", place) for place in ("good", "faulty", "missing", "fifo")),
        *((command, "good") for command in ("info", "read")),
        *((command, "unsafe.memoryfield.zip") for command in ("ls", "snapshot")),
    ],
)
def test_the_process_exits_with_that_code(command: str, place: str, places: Path) -> None:
    """What the command decides is what the shell sees."""
    done = spawn(command, places / place, *READERS.get(command, []))
    assert done.code == expected(command, place), done.err
    assert done.err.count("\n") == (done.code > 1)


@pytest.mark.parametrize("command", ["validate", *READERS])
def test_file_urls_are_locations(command: str, places: Path) -> None:
    """A file:// URL of a folder or an archive is as good as its path."""
    for place in ("good", "good.memoryfield.zip"):
        done = call(command, (places / place).as_uri(), *READERS.get(command, []))
        assert done.code == 0, done.err


@pytest.mark.parametrize(
    ("command", "code"),
    [
        *(("validate", 1), ("info", 0), ("ls", 1), ("read", 4), ("digest", 1), ("pin", 1)),
        ("snapshot", 1),
    ],
)
@pytest.mark.parametrize("place", ["empty", "empty.memoryfield.zip"])
def test_nothing_found(command: str, code: int, place: str, places: Path) -> None:
    """Where there is no page, what was asked for is not found."""
    done = call(command, places / place, *READERS.get(command, []))
    assert done.code == code
    if command in ("ls", "digest", "pin", "snapshot"):
        assert done.stdout == b""
        assert "there is no page" in done.err


@pytest.mark.parametrize(
    ("place", "fail_on", "code"),
    [
        ("faulty", "error", 1),
        ("warned", "error", 0),
        ("warned", "warning", 1),
        ("noted", "warning", 0),
        ("noted", "info", 1),
        ("good", "info", 0),
    ],
)
def test_fail_on_moves_the_line(place: str, fail_on: str, code: int, places: Path) -> None:
    """`--fail-on` names the mildest level that makes the exit code 1; the verdict is the same."""
    done = call("validate", "--format", "json", "--fail-on", fail_on, places / place)
    assert done.code == code
    assert done.json["verdict"] == ("invalid" if place == "faulty" else "valid")


def test_select_and_ignore_decide_what_counts(places: Path) -> None:
    """What is not checked cannot be found, whether ids stand alone, in a list, or as a prefix."""
    faulty = places / "faulty"
    assert call("validate", "--select", "MF1", faulty).code == 0
    assert call("validate", "--select", "mf1,MF304", faulty).code == 1
    assert call("validate", "--ignore", "MF3", faulty).code == 0
    assert call("validate", "--ignore", "MF301", "--ignore", " MF304 ,", faulty).code == 0


def test_the_draft_alone_does_not_know_our_rules(places: Path) -> None:
    """Under `--profile draft-0.1` a finding of this standard alone is told as info."""
    warned = places / "warned"
    done = call("validate", "--profile", "draft-0.1", "--fail-on", "warning", warned)
    assert done.code == 0
    assert " info MF311 " in done.out


def test_several_locations_give_the_gravest_code(places: Path) -> None:
    """One location that cannot be had leaves the others judged."""
    names = ("good", "missing", "faulty", "gopher://example.com/x")
    done = call("validate", *(n if ":" in n else places / n for n in names))
    assert done.code == 4
    assert done.out.count("valid, 1 page") == 2
    missing, unknown = done.err.splitlines()
    assert missing.endswith("missing: cannot be read: no such file or directory")
    assert unknown.startswith("memoryfield: this version cannot read gopher: locations")


def test_limits_can_be_raised_and_lowered(places: Path) -> None:
    """What is over a limit is refused with 3, by `validate` with 1; raising it helps."""
    for place in ("known", "known.memoryfield.zip"):
        for name in ("total-bytes=3", "entries=1"):
            assert call("ls", "--limit", name, places / place).code == 3
            assert call("validate", "--limit", name, places / place).code == 1
        assert call("digest", "--limit", "file-bytes=1", places / place).code == 3
        assert call("read", "--limit", "page-bytes=1", places / place, "a.md").code == 3
        raised = ("--limit", "total-bytes=3", "--limit", "total-bytes=4")
        assert call("ls", *raised, places / place).code == 0


WRONG_USAGE = {
    "no command": ([], "Usage: "),
    "unknown command": (["valdate", "good"], "no such command"),
    "unknown option": (["--nope"], "--nope"),
    "unknown option of a command": (["ls", "--nope", "good"], "--nope"),
    "no location": (["validate"], "missing argument"),
    "two locations": (["ls", "good", "known"], "unexpected extra argument"),
    "no page": (["read", "good"], "missing argument"),
    "unknown format": (["validate", "--format", "xml", "good"], "'json'"),
    "unknown level": (["validate", "--fail-on", "fatal", "good"], "'warning'"),
    "unknown profile": (["validate", "--profile", "draft", "good"], "'draft-0.1'"),
    "unknown limit": (["ls", "--limit", "pages=3", "good"], "page-bytes"),
    "limit without a value": (["ls", "--limit", "entries", "good"], "positive whole number"),
    "limit of zero": (["ls", "--limit", "entries=0", "good"], "positive whole number"),
    "limit that is no number": (["ls", "--limit", "entries=1e3", "good"], "entries=1000000"),
    "unknown rule": (["explain", "MF3O4"], "MF304"),
    "part of a rule": (["explain", "MF30"], "`memoryfield rules MF30` lists them"),
    "unknown prefix": (["rules", "MF95"], "MF905"),
    "no prefix at all": (["rules", ""], "there is no requirement"),
    "select unknown": (["validate", "--select", "MF999", "good"], "MF909"),
    "ignore unknown": (["validate", "--ignore", "MF31,MF3x5", "good"], "MF305"),
    "select unknown, location missing": (["validate", "--select", "X", "missing"], "'X'"),
    "unknown scheme": (["ls", "gopher://example.com/"], "this version cannot read gopher:"),
    "no bucket": (["ls", "s3:///x.zip"], "names no bucket"),
    "a page": (["digest", "https://example.com/a.md"], "is the address of a page"),
    "empty location": (["info", ""], "is no path"),
    "file URL of elsewhere": (["info", "file://example.com/x"], "no file:// URL of this machine"),
    "raw JSON": (["read", "--raw", "--format", "json", "good", "woks.md"], "exclude each other"),
    "manifest of an archive": (["digest", "--manifest", "--archive", "good"], "goes neither with"),
    "archive pin of a folder": (["digest", "--archive", "good"], "needs an archive"),
    "unknown shell": (["completion", "tcsh"], "'fish'"),
    "no shell": (["completion"], "missing argument"),
    "no title": (["new", "good"], "missing argument"),
    "no name": (["rm", "good"], "missing argument"),
    "no new name": (["mv", "good", "woks.md"], "missing argument"),
    "no batch": (["apply", "good"], "missing argument"),
    "no folder": (["unpack", "good.memoryfield.zip"], "missing argument"),
    "no page to edit": (["edit", "good", "plan.txt"], "ends in .md"),
    "allow another rule": (["new", "--allow", "MF304", "good", "X"], "no content rule"),
    "no time to wait": (["recover", "--wait", "soon", "good"], "'--wait'"),
}


@pytest.mark.parametrize(("arguments", "says"), WRONG_USAGE.values(), ids=WRONG_USAGE)
def test_wrong_usage(
    arguments: list[str], says: str, places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wrong usage is 2, says what would be right, and puts nothing on stdout."""
    monkeypatch.chdir(places)
    done = call(*arguments)
    assert done.code == 2, done.err
    assert done.stdout == b""
    assert says in done.err
    lines = done.err.splitlines()
    if arguments:  # without any, it is the help that is shown
        assert all(line.startswith("memoryfield: ") for line in lines)
        assert len(lines) == 1 or lines[1:] == [f"memoryfield: see `{_helpful(arguments)}`"]


def _helpful(arguments: list[str]) -> str:
    """The command that explains what was used wrongly."""
    name = arguments[0] if arguments[0] in COMMANDS else ""
    return " ".join(["memoryfield", *([name] if name else []), "--help"])


NO_FILES = {
    "--config": ["validate", "--config", "http://h/x", "good"],
    "--output": ["validate", "--output", "http://h/x", "good"],
    "--format": ["audit", "--format", "sarif:http://h/x", "good"],
    "--cases": ["conformance", "lint", "--cases", "http://h/x"],
    "--known-failures": ["conformance", "run", "--known-failures", "http://h/x"],
    "FOLDER": ["conformance", "export", "http://h/x"],
    "--store": ["note", "ls", "good", "--store", "http://h/x"],
    "DIR": ["unpack", "good.memoryfield.zip", "http://h/x"],
}


@pytest.mark.parametrize("name", NO_FILES)
def test_a_url_is_no_file(name: str) -> None:
    """What is typed where a file or folder is wanted is shown with all its slashes."""
    done = call(*NO_FILES[name])
    kind = "folder" if name in ("--cases", "FOLDER", "DIR") else "file"
    said = (
        f"invalid value for '{name}': http://h/x is a URL, and this takes a {kind} of this machine"
    )
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[0] == f"memoryfield: {said}"


@pytest.mark.parametrize("url", ["https://me:hidden@h/x.toml", "https://h/x.toml?key=hidden"])
def test_credentials_in_a_url_that_is_no_file_are_not_repeated(url: str) -> None:
    """Of one that may hold some, only the scheme is shown."""
    done = call("validate", "--config", url, "good")
    assert done.code == 2
    assert "https://... is a URL" in done.err
    assert "hidden" not in done.err


def test_credentials_in_a_location_are_not_repeated() -> None:
    """Of a location that holds some, only the scheme is named."""
    done = call("ls", "https://user:secret@example.com/x.zip?token=secret")
    assert done.code == 2
    assert "https://…: is a URL with a user or a password" in done.err
    assert "secret" not in done.err


def test_help_lists_the_exit_codes() -> None:
    """The codes that these tests expect are the ones `--help` documents."""
    done = call("--help")
    assert done.code == 0
    listed = [line.split()[0] for line in EPILOG.splitlines() if line.strip()[:1].isdigit()]
    assert listed == ["0", "1", "2", "3", "4", "5"]
    assert all(line.strip() in done.out for line in EPILOG.splitlines() if line != "\b")


LOCKED = [["verify", "@woks"], ["fetch", "woks"], ["lock", "check", "woks"], ["diff", "@woks"]]
"""The commands on a field of a lock file."""

LOCKED_CODES = {
    # what became of the archive or of the lock file: the exit code of each
    "as it was": (0, 0, 0, 0),
    "another page": (3, 3, 3, 1),
    "cut": (3, 3, 3, 3),
    "gone": (4, 4, 4, 4),
    "not locked": (2, 2, 2, 2),
    "someone else's place": (2, 2, 2, 2),
    "no TOML": (2, 2, 2, 2),
    "newer": (2, 2, 2, 2),
    "another manifest": (3, 3, 3, 3),
}


@pytest.mark.parametrize("fate", LOCKED_CODES)
def test_lock_file_decides_the_exit_code(
    fate: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another field than was locked is 3, a lock that means nothing or may not do that is 2."""
    for name in ("CACHE", "STATE"):
        monkeypatch.setenv(f"MEMORYFIELD_{name}_DIR", str(tmp_path / name))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    field, lock = archive(Path("woks.zip"), {"woks.md": GOOD}), Path("memoryfields.lock")
    assert call("lock", "add", "woks", field).code == 0
    text = lock.read_text()
    match fate:
        case "another page":
            archive(field, {"woks.md": FAULTY})
        case "cut":
            field.write_bytes(field.read_bytes()[:-1])
        case "gone":
            field.unlink()
        case "not locked":
            assert call("lock", "remove", "woks").code == 0
        case "someone else's place":
            lock.write_text(text.replace('"woks.zip"', '"/woks.zip"'))
        case "no TOML":
            lock.write_text(text + "<<<<<<< HEAD\n")
        case "newer":
            lock.write_text(text.replace("version = 1", "version = 2"))
        case "another manifest":
            lock.write_text(text.replace("  woks.md", "  works.md"))
    done = [call(*command) for command in LOCKED]
    assert tuple(each.code for each in done) == LOCKED_CODES[fate], [each.err for each in done]


def test_every_command_is_covered() -> None:
    """A new command must be added to these tests, or has its own for that, as `cache` does."""
    known = {"validate", "audit", *READERS, "explain", "rules", "conformance", "completion"}
    own = {"pin", "cache", "index", "search", "check-server", "mcp", "serve", "note", "fleet"}
    own |= {*WRITERS}
    assert set(COMMANDS) == known | own | {command[0] for command in LOCKED}


WRITERS = {
    "init": (["LOCATION"], 5, 5, 4),
    "new": (["LOCATION", "X"], 0, 3, 4),
    "write": (["LOCATION", "x.md"], 0, 3, 4),
    "edit": (["LOCATION", "woks.md"], 0, 3, 4),
    "rm": (["LOCATION", "other.md"], 5, 3, 4),
    "mv": (["LOCATION", "woks.md", "x.md"], 0, 3, 4),
    "apply": (["LOCATION", "-"], 0, 3, 4),
    "recover": (["LOCATION"], 0, 0, 4),
    "pack": (["LOCATION", "-o", "OUT.zip"], 0, 3, 4),
    "unpack": (["LOCATION", "OUT"], 0, 3, 4),
    "repack": (["LOCATION"], 0, 3, 4),
}
"""The commands that write, with the codes for a good archive, an unsafe one, and none there."""

REMOVING = b'{"version": 1, "operations": [{"op": "rename", "name": "woks.md", "to": "x.md"}]}'


@pytest.mark.parametrize("name", WRITERS)
def test_commands_that_write(name: str, places: Path, tmp_path: Path) -> None:
    """A conflict is 5, an unsafe archive 3, what is not there 4; all but 0 change nothing."""
    arguments, *codes = WRITERS[name]
    for place, code in zip(("good", "unsafe", "missing"), codes, strict=True):
        path = tmp_path / place / "field.memoryfield.zip"
        path.parent.mkdir()
        if place == "missing" and name == "init":  # where nothing is, a field is made
            path = path.parent / "there is no folder" / path.name
        if place != "missing":
            path.write_bytes((places / f"{place}.memoryfield.zip").read_bytes())
        before = path.read_bytes() if path.exists() else None
        words = {"LOCATION": path, "OUT": path.parent / "out", "OUT.zip": path.parent / "out.zip"}
        done = call(
            name,
            *(words.get(each, each) for each in arguments),
            stdin=REMOVING if name == "apply" else b"# X\n",
            env={"EDITOR": "true"},
        )
        assert done.code == code, (place, done.err)
        if code:
            assert done.stdout == b""
            assert done.err.startswith(f"memoryfield: {path}")
            assert done.err.count("\n") == 1
            assert (path.read_bytes() if path.exists() else None) == before
            assert not (path.parent / "out").exists()
