"""Text from a field, a name or a location cannot move the cursor, hide, or turn around."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from tests.cli.command import GOOD, Argument, Outcome, call, folder, spawn
from tests.cli.harmless import assert_harmless
from tests.cli.hostile_fields import (
    ALL,
    BIDI,
    CLEAR,
    hostile_archive,
    hostile_folder,
    pages,
    unsafe_archive,
    with_links,
)
from tests.cli.terminal import on_a_terminal

from memoryfield_spec import catalogue

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")

ENVIRONMENTS = {
    "utf-8": ({"PYTHONIOENCODING": "utf-8"}, "utf-8"),
    "ascii": ({"PYTHONIOENCODING": "ascii"}, "ascii"),
    "cp1252": ({"PYTHONIOENCODING": "cp1252"}, "cp1252"),
    "LANG=C": ({"LANG": "C", "LC_ALL": "C"}, "utf-8"),
    "LANG=C, old": (
        {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        "ascii",
    ),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="module")
def field(root: Path) -> Path:
    return hostile_folder(root)


@pytest.fixture(scope="module")
def irregular(root: Path) -> Path:
    return with_links(hostile_folder(root / "with links"))


@pytest.fixture(scope="module")
def archive(root: Path) -> Path:
    return hostile_archive(root)


@pytest.fixture(scope="module")
def unsafe(root: Path) -> Path:
    return unsafe_archive(root)


def run_in(name: str, *arguments: Argument) -> Outcome:
    """Run the command in an environment; for a mere encoding that need be no process of its own."""
    env, encoding = ENVIRONMENTS[name]
    if _is_encoding(name):
        return call(*arguments, encoding=encoding)
    return spawn(*arguments, env=env)


def _is_encoding(name: str) -> bool:
    return set(ENVIRONMENTS[name][0]) == {"PYTHONIOENCODING"}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_field_in_text(field: Path, archive: Path, name: str) -> None:
    """Every command that reads a field shows what is in it escaped, in every encoding."""
    _, encoding = ENVIRONMENTS[name]
    # what an archive adds is the same in every encoding
    for location in (field, archive) if name == "ascii" else (field,):
        names = [os.fsdecode(name) for name in os.listdir(os.fsencode(field)) if b".md" in name]
        runs: list[tuple[list[Argument], int]] = [
            # one in three as a process of its own, which has its encoding from the system
            (["validate", location], 1),
            (["info", location], 0),
            (["digest", location], 0),
            (["ls", "--long", "--all", location], 0),
            (["pin", location], 0),
            (["diff", location, location], 0),
            (["read", location, *names, CLEAR, BIDI, "a\nb"], 4),
            (["read", location, *pages()], 0),
        ]
        for arguments, code in runs if _is_encoding(name) else runs[::3]:
            done = run_in(name, *arguments)
            assert done.code == code, (arguments[0], done.stderr[-500:])
            assert_harmless(done.stdout, encoding)
            assert_harmless(done.stderr, encoding)
            assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["utf-8", "cp1252", "LANG=C, old"])
def test_refusals_in_text(unsafe: Path, irregular: Path, root: Path, name: str) -> None:
    """What is refused, missing or wrong is named escaped, in one line."""
    _, encoding = ENVIRONMENTS[name]
    empty = folder(root / f"empty {CLEAR}{BIDI}", {})
    runs: list[tuple[list[Argument], int]] = [
        # one in three as a process of its own, as above
        (["validate", unsafe], 1),
        (["digest", unsafe], 3),
        (["pin", unsafe], 3),
        (["ls", unsafe], 3),
        (["diff", unsafe, unsafe], 3),
        (["digest", irregular], 4),
        (["validate", irregular], 1),
        (["ls", "--all", "--long", irregular], 4),
        (["digest", empty], 1),
        (["ls", empty], 1),
        (["validate", empty], 1),
        (["info", f"missing{ALL}"], 4),
        (["ls", f"s3://{ALL}\nx"], 2),
        (["ls", f"file://{ALL}"], 2),
    ]
    for arguments, code in runs if _is_encoding(name) else runs[::3]:
        done = run_in(name, *arguments)
        assert done.code == code, (arguments, done.stderr[-500:])
        assert_harmless(done.stdout, encoding)
        assert_harmless(done.stderr, encoding)
        assert b"Traceback" not in done.stderr
        complaints = [line for line in done.stderr.splitlines() if not _USAGE.match(line)]
        silent = code <= 1 and arguments[0] not in ("digest", "ls")
        each = 2 if arguments == ["ls", "--all", "--long", irregular] else 1  # two such files
        assert len(complaints) == (0 if silent else each)


WRONG_USAGE: list[list[str]] = [
    ["explain", ALL],
    ["rules", ALL],
    ["validate", "--select", ALL, "."],
    ["ls", "--limit", ALL, "."],
    ["ls", "--limit", f"entries={ALL}", "."],
    ["ls", "--format", ALL, "."],
    ["ls", ".", ALL],
    ["ls", f"--{ALL}", "."],
    [f"x{ALL}"],
    [f"--{ALL}"],
]


@pytest.mark.parametrize("name", ["utf-8", "ascii"])
@pytest.mark.parametrize("arguments", WRONG_USAGE, ids=lambda each: each[0][:9])
def test_wrong_usage_in_text(
    arguments: list[str], name: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arguments may come from a `*`; they are quoted escaped, in one line."""
    monkeypatch.chdir(root)
    done = run_in(name, *arguments)
    assert (done.code, done.stdout) == (2, b"")
    assert_harmless(done.stderr, ENVIRONMENTS[name][1])
    mistake, *more = done.stderr.splitlines()
    assert mistake.startswith(b"memoryfield: ")
    assert not more or (len(more) == 1 and _USAGE.match(more[0]))


_USAGE = re.compile(rb"memoryfield: see `memoryfield( \w+)? --help`$")
"""What may follow the one line that names the mistake."""


def test_raw_bytes_are_exact(field: Path, archive: Path) -> None:
    """`read --raw` gives the bytes, whatever they are and whatever the encoding."""
    for location, name in [*((field, name) for name in ENVIRONMENTS), (archive, "utf-8")]:
        done = run_in(name, "read", "--raw", location, *pages())
        assert done.stdout == b"".join(pages().values())
        assert done.stderr == b""


def test_manifest_bytes_are_exact(field: Path) -> None:
    """`digest --manifest` gives names as they are: hashing it must give the pin."""
    plain = spawn("digest", "--manifest", field).stdout
    assert CLEAR.encode() + b".md\n" in plain
    for name in ENVIRONMENTS:
        assert run_in(name, "digest", "--manifest", field).stdout == plain


def test_page_is_read_by_the_name_that_ls_gives(tmp_path: Path) -> None:
    """A plain name in another script is shown as it is, and can be asked for."""
    name = "caf\u00e9-\u4e2d\u6587-\U0001f9ea.md"
    path = folder(tmp_path / "field", {name: GOOD})
    assert call("ls", path).out == f"{name}\n"
    assert call("read", path, name).out == GOOD.decode()
    shown = spawn("ls", path, env={"PYTHONIOENCODING": "ascii"}).stdout
    assert shown == b"caf\\xe9-\\u4e2d\\u6587-\\U0001f9ea.md\n"


def test_plain_text_is_shown_as_it_is(tmp_path: Path) -> None:
    """Escaping touches nothing that can be shown; CRLF and tabs stay."""
    text = "T\u00eate\r\n\tcaf\u00e9 \u4e2d \U0001f468\u200d\U0001f373 e\u0301\n"
    path = folder(tmp_path / "field", {"a.md": text.encode()})
    assert call("read", path, "a.md").stdout == text.replace("\u200d", r"\u{200d}").encode()


def test_catalogue_is_harmless() -> None:
    """The examples of bad pages are no bad pages themselves."""
    for id in catalogue():
        assert_harmless(call("explain", id).stdout)
    assert_harmless(call("rules").stdout)


@pytest.mark.parametrize(
    "arguments", [["ls"], ["validate"], ["info"], ["digest"], ["digest", "--manifest"]]
)
def test_terminal_gets_colours_and_nothing_else(arguments: list[str], field: Path) -> None:
    """On a terminal, the only escape sequences are the command's own colours."""
    seen = on_a_terminal(*arguments, field)
    plain = re.sub(rb"\x1b\[[0-9;]*m", b"", seen)
    assert plain
    assert_harmless(plain)
    assert (plain != seen) == (arguments == ["validate"])


def test_pages_on_a_terminal(field: Path) -> None:
    """Pages keep their lines and lose what is not text."""
    seen = on_a_terminal("read", field, *pages())
    assert_harmless(re.sub(rb"\x1b\[[0-9;]*m", b"", seen))
