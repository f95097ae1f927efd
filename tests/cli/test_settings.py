"""Settings on the command line: which file counts, and that options win."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command import FAULTY, GOOD, archive, call, folder

DEAD_LINK = GOOD.replace(b"Source:", b"[x](y.md) Source:")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a field that has one error and one warning."""
    monkeypatch.chdir(tmp_path)
    folder(tmp_path / "field", {"woks.md": FAULTY, "pans.md": DEAD_LINK.replace(b"8b", b"8c")})
    return tmp_path


def settings(text: str, file: str = "memoryfield.toml") -> None:
    Path(file).write_text(text, encoding="utf-8")


def found(*arguments: str) -> list[tuple[str, str]]:
    """Rule and level of each finding."""
    answer = call("validate", "--format", "json", *arguments, "field").json
    return [(one["rule"], one["level"]) for one in answer["findings"]]


BOTH = [("MF209", "warning"), ("MF304", "error")]


def test_nearest_file_counts_and_is_named() -> None:
    """Text says whose settings they are; what they leave out is not there."""
    assert found() == BOTH
    settings('[tool.memoryfield]\nignore = ["MF2"]\n', "pyproject.toml")
    assert found() == BOTH[1:]
    out = call("validate", "field").out
    assert out.splitlines()[-1] == f"settings from {Path('pyproject.toml').resolve()}"


def test_options_win() -> None:
    """What is given replaces what the file says; limits are taken one by one."""
    settings(
        'select = ["MF2"]\nignore = ["MF209"]\nfail-on = "info"\n'
        "[limits]\npage-bytes = 10\nfile-bytes = 1000\n"
    )
    assert found("--ignore", "MF205", "--limit", "page-bytes=5000") == BOTH[:1]
    assert found("--select", "MF3", "--limit", "page-bytes=5000") == BOTH[1:]
    arguments = ["validate", "--limit", "page-bytes=5000", "--ignore", "MF303", "field"]
    assert call(*arguments).code == 1
    assert call(*arguments, "--fail-on", "error").code == 0
    assert "over the limit of 1000" not in call(*arguments).out
    assert call("validate", "field").code == 4  # the pages are larger than the file allows


def test_no_config_and_config() -> None:
    """None at all, or another file than the nearest."""
    settings('ignore = ["MF2", "MF3"]\n')
    settings('ignore = ["MF304"]\n', "other.toml")
    assert found() == []
    assert found("--no-config") == BOTH
    assert found("--config", "other.toml") == BOTH[:1]


def test_settings_of_the_field_itself_do_not_count() -> None:
    """Not even where the command runs within it; that is told, and `--config` takes them."""
    settings('ignore = ["MF2", "MF3"]\n', "field/memoryfield.toml")
    assert found() == BOTH
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir("field")
        done = call("validate", ".")
        assert done.code == 1
        assert done.err.count("\n") == 1
        assert "these settings do not count" in done.err
        assert call("validate", Path.cwd().as_uri()).code == 1
        assert call("validate", "--config", "memoryfield.toml", ".").code == 0


def test_wrong_settings_are_wrong_usage() -> None:
    """One line that names the file and what may have been meant."""
    settings('ignroe = ["MF2"]\n')
    done = call("validate", "field")
    assert (done.code, done.stdout) == (2, b"")
    assert done.err == (
        f"memoryfield: {Path('memoryfield.toml').resolve()}: there is no setting `ignroe` "
        "(did you mean `ignore`?)\n"
    )


def test_severity_changes_verdict_and_exit_code() -> None:
    """In both directions."""
    settings('[severity]\nMF304 = "info"\nMF209 = "error"\n')
    assert found() == [("MF209", "error"), ("MF304", "info")]
    settings('[severity]\nMF304 = "info"\n')
    assert call("validate", "field").code == 0


def test_what_was_not_read_is_not_played_down() -> None:
    """An archive that is cut off is not valid, whatever level its findings have."""
    settings('[severity]\nMF6 = "info"\nMF1 = "info"\n')
    whole = archive(Path("a.memoryfield.zip"), {"woks.md": GOOD}).read_bytes()
    Path("a.memoryfield.zip").write_bytes(whole[:-10])
    done = call("validate", "a.memoryfield.zip")
    assert done.code == 4
    assert "was not checked, MF601" in done.err


def test_per_file_ignores() -> None:
    """For the files of a pattern alone."""
    settings('[per-file-ignores]\n"w*.md" = ["MF3", "MF2"]\n')
    assert found() == BOTH[:1]


def test_unused_ignores_are_told_when_asked_for() -> None:
    """One line each, and exit 1; those of options and those of files."""
    settings('ignore = ["MF304", "MF401"]\n[per-file-ignores]\n"x*.md" = ["MF2"]\n')
    quiet = call("validate", "field")
    assert (quiet.code, quiet.err) == (0, "")
    done = call("validate", "--unused-ignores", "field")
    assert (done.code, done.stdout) == (1, quiet.stdout)
    assert done.err.splitlines() == [
        "memoryfield: to ignore MF401 is not needed: nothing of it was found",
        "memoryfield: to ignore MF2 in x*.md is not needed: nothing of it was found",
    ]
    used = call("validate", "--unused-ignores", "--no-config", "--ignore", "MF304", "field")
    assert (used.code, used.err) == (0, "")


def test_audit_takes_settings_but_for_what_to_select() -> None:
    """`audit` is about MF8, whatever a project selects elsewhere."""
    settings('select = ["MF2"]\n[severity]\nMF801 = "info"\n')
    folder(Path("hidden"), {"woks.md": GOOD.replace(b"heat", "he\u200bat".encode())})
    answer = call("audit", "--format", "json", "hidden").json
    assert [(one["rule"], one["level"]) for one in answer["findings"]] == [("MF801", "info")]
