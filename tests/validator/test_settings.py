"""Settings: what a file may say, what is refused, and what is left of a report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.validator.fields import NAME, archive, page, write_files

from memoryfield_readers import DEFAULT_LIMITS, MemoryfieldError, inspect_field
from memoryfield_spec import UnknownRequirement
from memoryfield_validator import (
    Checked,
    Finding,
    Ignore,
    Report,
    Request,
    Settings,
    SettingsError,
    check_field,
    read_settings,
    unused_ignores,
)
from memoryfield_validator.settings import apply

ALL = """\
select = ["MF2", "MF305"]
ignore = ["MF205"]
fail-on = "warning"

[per-file-ignores]
"log-*.md" = ["MF303", "MF4"]

[limits]
page-bytes = 4_194_304

[severity]
MF209 = "error"
MF2 = "info"
"""


def write(folder: Path, text: str, name: str = "memoryfield.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refused(folder: Path, text: str) -> SettingsError:
    """The error that a `memoryfield.toml` with this text is."""
    path = write(folder, text)
    with pytest.raises(SettingsError) as error:
        read_settings(path)
    assert error.value.exit_code == 2
    assert error.value.location == str(path)
    return error.value


@pytest.mark.parametrize("name", ["memoryfield.toml", "pyproject.toml"])
def test_every_setting_is_read(name: str, tmp_path: Path) -> None:
    """The same keys, at the root of one file and in a table of the other."""
    text = ALL
    if name == "pyproject.toml":
        text = "[tool.memoryfield]\n" + ALL.replace("\n[", "\n[tool.memoryfield.")
        text += '\n[tool.other]\nanything = "goes"\n'
    path = write(tmp_path, text, name)
    settings = read_settings(path)
    assert settings.select == ("MF2", "MF305")
    assert settings.ignore == ("MF205",)
    assert settings.fail_on == "warning"
    assert settings.per_file_ignores == {"log-*.md": ("MF303", "MF4")}
    assert settings.limits == DEFAULT_LIMITS.with_settings(["page-bytes=4194304"])
    assert settings.severity == {"MF209": "error", "MF2": "info"}
    assert settings.source == str(path)


def test_empty_file_says_nothing(tmp_path: Path) -> None:
    """All settings have their defaults then; nothing selected is not the same as all."""
    path = write(tmp_path, "")
    assert read_settings(path) == Settings(source=str(path))


@pytest.mark.parametrize(
    ("text", "says", "hint"),
    [
        ("selct = []", "`selct`", "did you mean `select`?"),
        ("fail_on = 'error'", "`fail_on`", "did you mean `fail-on`?"),
        ("PER-FILE-IGNORES = {}", "`PER-FILE-IGNORES`", "`per-file-ignores`"),
        ("x = 1", "`x`", "select, ignore"),
        ('ignore = ["MF999"]', "'MF999'", None),
        ('ignore = ["MF3O4"]', "MF304", None),
        ('ignore = [""]', "''", None),
        ('select = "MF3"', "list of ids", "MF205"),
        ("ignore = [205]", "list of ids", "MF205"),
        ("fail-on = 'warn'", "level", "warning"),
        ("fail-on = ['error']", "level", "warning"),
        ("per-file-ignores = ['a']", "table", "MF303"),
        ("per-file-ignores = {'a.md' = 'MF303'}", "list of ids", None),
        ("per-file-ignores = {'a.md' = ['MF000']}", "'MF000'", None),
        ("severity = {MF205 = 'fatal'}", "level", "error"),
        ("severity = {MF000 = 'error'}", "'MF000'", None),
        ("severity = 'error'", "table", "MF205"),
        ("limits = {page-byte = 1}", "`page-byte`", "did you mean `page-bytes`?"),
        ("limits = {page-bytes = '1'}", "positive whole number", "1000000"),
        ("limits = {page-bytes = true}", "positive whole number", "1000000"),
        ("limits = {page-bytes = 0}", "positive whole number", "1000000"),
        ("limits = 5", "table", "page-bytes"),
        ("select = []", "selects nothing", "leave it out"),
        ("= 5", "no TOML", None),
        ("a = " + "[" * 100_000, "no TOML", None),
    ],
)
def test_what_means_nothing_is_refused(
    text: str, says: str, hint: str | None, tmp_path: Path
) -> None:
    """A key, an id or a value that is unknown is an error that names what may have been meant."""
    error = refused(tmp_path, text)
    assert says in str(error)
    assert hint is None or hint in (error.hint or "")


def test_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """Also one that is not there, is no text, or is far too large for what it is."""
    with pytest.raises(SettingsError, match="cannot be read"):
        read_settings(tmp_path / "memoryfield.toml")
    path = tmp_path / "memoryfield.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="no TOML"):
        read_settings(path)
    path.write_bytes(b"#" * (1024 * 1024 + 1))
    with pytest.raises(SettingsError, match="larger than"):
        read_settings(path)


def test_pyproject_without_the_table_is_refused(tmp_path: Path) -> None:
    """Where it was named; found on the way up, it is passed by."""
    for text in ("", "[tool.other]\n", "tool = 1\n"):
        with pytest.raises(SettingsError, match="has no table"):
            read_settings(write(tmp_path, text, "pyproject.toml"))
    with pytest.raises(SettingsError, match="is no table"):
        read_settings(write(tmp_path, "[tool]\nmemoryfield = 1\n", "pyproject.toml"))


def found(rule: str, file: str | None, level: str = "warning") -> Finding:
    return Finding(rule, level, file, None, None, "a message")  # type: ignore[arg-type]


FOUND = Report(
    "field",
    None,
    2,
    (
        found("MF608", None, "error"),
        found("MF303", "log-1.md"),
        found("MF209", "log-1.md"),
        found("MF303", "notes.md"),
    ),
)


def left(settings: Settings) -> list[tuple[str, str | None, str]]:
    report, _ = apply(settings, FOUND)
    return [(finding.rule, finding.file, finding.level) for finding in report.findings]


def test_per_file_ignores_leave_out_findings_in_such_files() -> None:
    """By pattern of the file's name and by the beginning of the id; never of the whole field."""
    settings = Settings(per_file_ignores={"log-*.md": ("mf30",), "*": ("MF6",)})
    assert left(settings) == [
        ("MF608", None, "error"),
        ("MF209", "log-1.md", "warning"),
        ("MF303", "notes.md", "warning"),
    ]
    _, used = apply(settings, FOUND)
    assert used == {Ignore("mf30", "log-*.md")}


def test_patterns_tell_capitals_apart() -> None:
    """On every system alike."""
    assert len(left(Settings(per_file_ignores={"LOG-*.md": ("MF3",)}))) == 4


def test_severity_changes_levels_and_the_verdict() -> None:
    """The more exact of two settings counts, in whatever order they stand."""
    for severity in ({"MF3": "info", "MF303": "error"}, {"MF303": "error", "MF3": "info"}):
        assert ("MF303", "notes.md", "error") in left(Settings(severity=severity))  # type: ignore[arg-type]
    milder = Settings(severity={"MF608": "warning", "MF2": "info"})
    report, _ = apply(milder, FOUND)
    assert report.verdict == "valid"
    assert report.summary == {"error": 0, "warning": 3, "info": 1}
    assert report.unread == ()


@pytest.mark.parametrize("rule", ["MF105", "MF601", "MF603", "MF604", "MF605", "MF606", "MF607"])
@pytest.mark.parametrize(
    ("settings", "left"),
    [
        (Settings(per_file_ignores={"a.md": ("MF",)}), []),
        (Settings(severity={"MF1": "info", "MF6": "warning"}), ["a.md"]),
    ],
)
def test_what_was_not_read_cannot_be_played_down(
    settings: Settings, left: list[str], rule: str
) -> None:
    """Left out or made milder, it is an error of reading: nothing passes that was not checked."""
    report = Report("field", None, 1, (found(rule, "a.md", "error"),))
    report, _ = apply(settings, report)
    assert [finding.file for finding in report.findings] == left
    assert [str(error) for error in report.unread] == [
        f"field: a.md: was not checked, {rule}: a message"
    ]


def test_what_was_not_read_may_be_made_graver_or_left() -> None:
    """Then it is a finding and nothing else."""
    report = Report("field", None, 1, (found("MF601", "a.md", "error"),))
    for settings in (Settings(severity={"MF601": "error"}), Settings(severity={"MF609": "info"})):
        assert apply(settings, report).report == report


def test_real_field_is_checked_as_settings_want(tmp_path: Path) -> None:
    """From the file to the report, on a field with a dead link and a bare word for a title."""
    settings = read_settings(
        write(
            tmp_path,
            'ignore = ["MF205", "MF401"]\n[severity]\nMF209 = "error"\n'
            '[per-file-ignores]\n"a.md" = ["MF305"]\n"z*.md" = ["MF305"]\n',
        )
    )
    field = {"a.md": page("[x](y.md)\n", title="no")}
    with inspect_field(archive(field), name=NAME) as opened:
        outcome = check_field(opened, Request(settings, watch_ignores=True))
    assert outcome.report is not None
    assert [(each.rule, each.level) for each in outcome.report.findings] == [("MF209", "error")]
    assert unused_ignores(Request(settings), [outcome]) == (
        Ignore("MF401"),
        Ignore("MF305", "z*.md"),
    )
    assert len(outcome.excerpts) == 1


def test_ignores_used_in_any_field_are_used() -> None:
    """Of several fields one is enough; a field that could not be read says nothing."""
    settings = Settings(ignore=("MF205", "MF3"), per_file_ignores={"*": ("MF2",)})
    outcomes = [
        Checked("a", used=frozenset({Ignore("MF3")})),
        Checked("b", error=MemoryfieldError("gone")),
        Checked("c", used=frozenset({Ignore("MF2", "*")})),
    ]
    assert unused_ignores(Request(settings), outcomes) == (Ignore("MF205"),)
    assert unused_ignores(Request(settings), []) == (
        Ignore("MF205"),
        Ignore("MF3"),
        Ignore("MF2", "*"),
    )


@pytest.mark.parametrize(
    ("request_", "unused"),
    [
        (Request(Settings(ignore=("MF8", "MF7"))), []),
        (Request(Settings(ignore=("MF8", "MF7")), audit=True), ["MF8"]),
        (Request(Settings(select=("MF2",), ignore=("MF3", "MF205", "MF206"))), ["MF206"]),
        (Request(Settings(select=("MF8",), per_file_ignores={"a*": ("MF303",)})), []),
    ],
)
def test_ignores_of_what_is_not_run_are_not_unused(request_: Request, unused: list[str]) -> None:
    """Nothing is known of them: another command may need them."""
    request_ = replace(request_, watch_ignores=True)
    with inspect_field(archive({"a.md": page("Steel.\n")}), name=NAME) as opened:
        outcome = check_field(opened, request_)
    assert [ignore.id for ignore in unused_ignores(request_, [outcome])] == unused


def test_unknown_ids_in_settings_made_by_hand(tmp_path: Path) -> None:
    """A program that makes settings itself gets the same error as the reader of a file."""
    with (
        inspect_field(write_files(tmp_path / "field", {"a.md": page()})) as field,
        pytest.raises(UnknownRequirement),
    ):
        check_field(field, Request(Settings(ignore=("MF999",))))
