"""What broke other programs that read frontmatter does not break this one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.validator.fields import BODY, Files, as_bytes, page, report_on, rules_in, write_files

from memoryfield_readers import FrontmatterState, Page, inspect_field
from memoryfield_validator import Finding, validate


def findings_of(content: str | bytes) -> tuple[Finding, ...]:
    """The findings about a field of one page."""
    return report_on({"a.md": content}).findings


def read_page(folder: Path, content: str | bytes) -> Page:
    """The page as a reader sees it."""
    with inspect_field(write_files(folder, {"a.md": content})) as field:
        return field.page("a.md")


def only(found: tuple[Finding, ...], rule: str) -> Finding:
    """The one finding of a rule."""
    (finding,) = (one for one in found if one.rule == rule)
    return finding


@pytest.mark.parametrize("text", ["2026-04-05", "2026-04-05T09:00:00Z", "2026-04-05 09:00:00 +2"])
def test_bare_date_is_told_and_keeps_its_text(text: str, tmp_path: Path) -> None:
    """A date that YAML takes for an object is MF304; readers hand out what was written."""
    content = page(created=text)
    finding = only(findings_of(content), "MF304")
    assert (finding.line, finding.column) == (3, 10)
    fields = read_page(tmp_path, content).frontmatter.fields
    assert fields["created"] == text
    assert json.loads(json.dumps(fields)) == fields


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ("Foo: bar", "MF301"),
        ("@home", "MF301"),
        ("`code`", "MF301"),
        ("%d", "MF301"),
        ("*x", "MF301"),
        ("[WIP] x", "MF301"),
        ("!x y", "MF312"),
    ],
)
def test_value_that_needs_quotes_breaks_the_block_alone(
    value: str, rule: str, tmp_path: Path
) -> None:
    """The block is broken, the finding stands in its line, and the body is still read."""
    content = page(title=value)
    assert rules_in(report_on({"a.md": content})) == [rule]
    finding = only(findings_of(content), rule)
    assert finding.line == 2
    assert finding.hint is not None
    assert rule == "MF312" or "quote the value of `title`" in finding.hint
    broken = read_page(tmp_path, content)
    assert broken.frontmatter.state is FrontmatterState.BROKEN
    assert broken.body == BODY


@pytest.mark.parametrize(
    ("value", "kept", "lost"),
    [("&x bar", "bar", "&x"), ("C# tips # note", "C# tips", "# note")],
)
def test_text_that_vanishes_silently_is_told(value: str, kept: str, lost: str) -> None:
    """What YAML drops without an error is a warning that names what is left and what is not."""
    finding = only(findings_of(page(title=value)), "MF305")
    assert finding.level == "warning"
    assert f"`{kept}`" in finding.message
    assert f"`{lost}`" in finding.message


def test_byte_order_mark_hides_nothing(tmp_path: Path) -> None:
    """A mark is MF207, the block after it is read, and the digest covers it."""
    plain, marked = page(), b"\xef\xbb\xbf" + page().encode()
    assert rules_in(report_on({"a.md": marked})) == ["MF207"]
    assert read_page(tmp_path, marked).frontmatter.fields["title"] == "Steel"
    assert report_on({"a.md": marked}).digest != report_on({"a.md": plain}).digest


def test_prose_between_rules_is_body(tmp_path: Path) -> None:
    """A page that begins with a Markdown rule has no frontmatter, and loses none of its text."""
    text = "---\n\nSome prose here.\n\n---\nmore\n"
    assert rules_in(report_on({"a.md": text})) == ["MF205", "MF204", "MF302"]
    assert read_page(tmp_path, text).body == text


def test_later_rules_are_no_delimiters(tmp_path: Path) -> None:
    """The first closing line ends the block; what looks like a second block is body."""
    text = "---\ntitle: a\n---\nx\n---\ny: z\n"
    found = read_page(tmp_path, text)
    assert found.frontmatter.fields == {"title": "a"}
    assert found.body == "x\n---\ny: z\n"
    assert "MF301" not in rules_in(report_on({"a.md": text}))


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_are_not_guessed(encoding: str) -> None:
    """A page in another encoding is MF202 or full of NULs; no YAML parser decodes it by itself."""
    found = rules_in(report_on({"a.md": page("Café\n" + BODY).encode(encoding)}))
    assert "MF202" in found
    assert not [rule for rule in found if rule.startswith("MF3")]


@pytest.mark.parametrize(
    ("source", "value"), [("012", "10"), ("NO", "false"), ("1:30", "90"), ("1_000", "1000")]
)
def test_text_that_is_read_as_something_else_is_quoted_in_the_message(
    source: str, value: str
) -> None:
    """The message gives the source text, and what YAML 1.1 made of it."""
    finding = only(findings_of(page(more=f"summary: {source}\n")), "MF305")
    assert f"`{source}`" in finding.message
    assert value in finding.message
    assert finding.hint == f"quote it: summary: '{source}'"


def test_keys_that_hide_each_other_are_told_with_both_lines() -> None:
    """A key that stands twice, and keys that are equal as YAML values, are MF311."""
    twice = only(findings_of(page(more="uuid: 6aa615f0-486f-48a7-a210-ba4f5ff18c8b\n")), "MF311")
    assert "lines 5 and 6" in twice.message
    equal = only(findings_of(page(more="x: {1: a, true: b}\n")), "MF311")
    assert "`1`" in equal.message
    assert "`true`" in equal.message


def test_forms_that_libraries_let_through_are_told() -> None:
    """A week date, and a line feed at the end, which `$` lets through, are no datetimes."""
    for source in ("'2026-W10-1'", '"2026-08-22T14:30:00Z\\n"'):
        assert rules_in(report_on({"a.md": page(updated=source)})) == ["MF308"]
    assert rules_in(
        report_on({"a.md": page(uuid='"6aa615f0-486f-48a7-a210-ba4f5ff18c8b\\n"')})
    ) == ["MF306"]


@pytest.mark.parametrize(
    ("value", "rules"),
    [
        ("2026-02-30", ["MF304", "MF308"]),
        ("2026-02-03T00:00:00+99:00", ["MF304", "MF308"]),
        ("9" * 4400, ["MF305", "MF313"]),
    ],
)
def test_value_that_raises_in_other_readers_ends_nothing(value: str, rules: list[str]) -> None:
    """An error of the calendar or of integers, not of YAML, is a finding, and the run goes on."""
    report = report_on({"a.md": page(created=value), "b.md": page(title="no", number=1)})
    assert [one.rule for one in report.findings if one.file == "a.md"] == rules
    assert [one.rule for one in report.findings if one.file == "b.md"] == ["MF305"]


def test_deep_nesting_has_one_verdict() -> None:
    """A thousand brackets are MF312, neither a crash nor a syntax error."""
    assert rules_in(report_on({"a.md": page(more=f"x: {'[' * 1000}{']' * 1000}\n")})) == ["MF312"]
    assert rules_in(report_on({"a.md": page(more=f"x: {'[' * 1000}\n")})) == ["MF312"]
    assert rules_in(report_on({"a.md": page(more=f"x: {'{a: ' * 1000}\n")})) == ["MF312"]


def test_plain_text_folded_over_lines_is_one_value(tmp_path: Path) -> None:
    """A value over several lines, as PyYAML writes it, is read whole."""
    content = page(title="Carbon fibre woks and\n  what they do\n  to heat")
    assert report_on({"a.md": content}).findings == ()
    title = read_page(tmp_path, content).frontmatter.fields["title"]
    assert title == "Carbon fibre woks and what they do to heat"


def test_validating_changes_nothing(tmp_path: Path) -> None:
    """No file of the field is written, added or removed."""
    files: Files = {"a.md": page(created="2026-04-05"), "b.md": b"\xff", ".x": "", "x.sqlite3": "x"}
    folder = write_files(tmp_path / "field", files)
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}
    with inspect_field(folder) as field:
        assert validate(field).verdict == "invalid"
    after = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}
    assert after == before
    assert {name: content for name, (content, _) in after.items()} == {
        name: as_bytes(content) for name, content in files.items()
    }
