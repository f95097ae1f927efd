"""A report: the order and number of its findings, its digest, and its form as JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.validator.fields import Files, archive, page, report_on, validated, write_files
from tests.validator.schemas import assert_fits_schema

from memoryfield_readers import Limits, inspect_field
from memoryfield_spec import schema
from memoryfield_validator import LEVELS, Finding, Report, validate
from memoryfield_validator.conformance.raw_zip import Header, ZipEntry, zip_bytes
from memoryfield_validator.reports import render_json
from memoryfield_validator.validation import MOST_FINDINGS


def key(finding: Finding) -> tuple[object, ...]:
    """The order of the standard: file, names by bytes; line; column; rule; none comes first."""
    file = b"" if finding.file is None else b"x" + finding.file.encode("utf-8", "surrogateescape")
    return (file, finding.line or 0, finding.column or 0, finding.rule)


def test_findings_are_in_order() -> None:
    """The field comes first, then files by the bytes of their names, then places, then rules."""
    report = validated(
        archive(
            {
                "b.md": page("[x](x.md) [y](y.md)\n\x00\n", title="no", created="2026-02-30"),
                "é.md": "---\na: b\n",
                "Z.md": b"\xef\xbb\xbf\x00\xff",
                "z.txt~": "",
                "a/b.md": "",
                "\U0001f373.md": "",
                "\uffee.md": "",
            }
        ),
        name="x.zip",
    )
    assert [key(one) for one in report.findings] == sorted(key(one) for one in report.findings)
    assert list(dict.fromkeys(one.file for one in report.findings)) == [
        None, "Z.md", "a/", "a/b.md", "b.md", "z.txt~", "é.md", "\uffee.md", "\U0001f373.md"
    ]  # fmt: skip
    assert [one.rule for one in report.findings if one.file == "Z.md" and one.line == 1] == [
        "MF207", "MF208", "MF202"
    ]  # fmt: skip


def test_same_field_gives_same_report() -> None:
    """Nothing in a report depends on the order in which files stand in the source."""
    files = {"b.md": page(), "a.md": page(title="no"), "x/c.md": "", "B.md": page("")}
    turned = {name: files[name] for name in reversed(files)}
    assert validated(archive(files)) == validated(archive(turned))


@pytest.mark.parametrize("count", [1, 99, 100, 101, 102, 350])
def test_findings_of_a_rule_in_a_page_are_capped(count: int) -> None:
    """At most a hundred are told one by one; the last says how many there are besides."""
    body = "".join(f"[x](x{number}.md)\n" for number in range(count))
    report = report_on({"a.md": page(body + "https://example.com\n"), "b.md": page(body, number=1)})
    for name in ("a.md", "b.md"):
        found = [one for one in report.findings if (one.rule, one.file) == ("MF209", name)]
        assert len(found) == min(count, MOST_FINDINGS)
        assert [one.line for one in found] == list(range(7, 7 + len(found)))
        more = f" (and {count - MOST_FINDINGS} more)" if count > MOST_FINDINGS else ""
        assert found[-1].message == f"there is no `x{len(found) - 1}.md` in the field{more}"
        assert not any("more)" in one.message for one in found[:-1])


def test_caps_are_for_each_rule_and_page() -> None:
    """One rule with many findings leaves the others all of theirs."""
    many = "".join(f"{number}: .nan\n" for number in range(300))
    report = report_on({"a.md": page("[x](x.md)\n", title="no", more=many + "1: a\n")})
    counts = {rule: sum(one.rule == rule for one in report.findings) for rule in ("MF311", "MF313")}
    assert counts == {"MF311": 1, "MF313": MOST_FINDINGS}
    assert {"MF209", "MF305", "MF205"} <= {one.rule for one in report.findings}


def test_levels_are_counted_and_asked_for() -> None:
    """A summary counts each level, and `has` counts graver findings in."""
    report = report_on({"a.md": page("x"), "b.md": page("[x](x.md)", number=1)})
    assert report.summary == {"error": 0, "warning": 1, "info": 2}
    assert [report.has(level) for level in LEVELS] == [False, True, True]
    clean = report_on({"a.md": page()})
    assert [clean.has(level) for level in LEVELS] == [False, False, False]
    wrong = report_on({"a.md": page(title="no")})
    assert [wrong.has(level) for level in LEVELS] == [True, True, True]


WITH_PIN: dict[str, Files] = {
    "a clean field": {"a.md": page()},
    "a page at fault": {"a.md": b"\xff"},
    "an attachment alone": {"a.txt": ""},
    "debris and sub-directories": {"a.md": page(), ".x": "", "x/y": ""},
    "an index": {"a.md": page(), "x.sqlite3": ""},
    "a page beyond the limit": {"a.md": page(), "b.md": "x" * 2000},
}


@pytest.mark.parametrize("what", WITH_PIN)
def test_digest_is_the_field_pin(what: str, tmp_path: Path) -> None:
    """The digest is that of the field, whatever is wrong with the text of its pages."""
    limits = Limits(page_bytes=1000)
    with inspect_field(write_files(tmp_path / "field", WITH_PIN[what]), limits=limits) as field:
        assert validate(field).digest == field.digest()
    assert validated(archive(WITH_PIN[what]), limits=limits).digest is not None


def test_no_digest_of_what_is_not_proved(tmp_path: Path) -> None:
    """There is none without files, with an irregular entry, beyond limits, of unsafe archives."""
    assert validated(write_files(tmp_path / "empty", {".x": ""})).digest is None
    linked = write_files(tmp_path / "linked", {"a.md": page()})
    os.symlink("nowhere", linked / "b.md")
    assert validated(linked).digest is None
    large = write_files(tmp_path / "large", {"a.md": "a", "b": "x" * 200, "x/b": "", "x/c": ""})
    assert validated(large, limits=Limits(entries=3)).digest is None
    assert validated(large, limits=Limits(file_bytes=100)).digest is None
    assert validated(large, limits=Limits(total_bytes=100)).digest is None
    good, damaged = ZipEntry("a.md", page().encode()), Header(crc=1)
    for other in (
        ZipEntry("../b.md"),
        ZipEntry("b.md", b"x", local=damaged, central=damaged),
        ZipEntry("x.sqlite3", b"x", local=damaged, central=damaged),
        ZipEntry("x/b.md", b"x", local=damaged, central=damaged),
    ):
        assert validated(zip_bytes(good, other)).digest is None
    assert validated(zip_bytes(good, ZipEntry("é.md".encode()))).digest is not None
    assert validated(b"").digest is None


def test_one_report_and_several_are_valid_json() -> None:
    """A report is an object; several are a list in one, in the order in which they were given."""
    first, second = report_on({"a.md": page(title="no\u2028")}), validated(b"", name="x.zip")
    alone, both = (
        json.loads(render_json([first])),
        json.loads(render_json([first, second], several=True)),
    )
    assert alone == first.to_json()
    assert both == {"version": 1, "reports": [first.to_json(), second.to_json()]}
    assert json.loads(render_json([], several=True)) == {"version": 1, "reports": []}
    judge = Draft202012Validator(schema("report"))
    for answer in (alone, both):
        assert list(judge.iter_errors(answer)) == []


def _odd_folder(parent: bytes) -> bytes:
    """A folder in which name, page, attachment and debris are no UTF-8."""
    folder = parent + b"/caf\xe9"
    try:
        os.mkdir(folder)
        for name in (
            b"\xff.md",
            b"\xe9.png",
            b"\x80~",
            b"caf\xc3\xa9.md",
            b"con\xff.md",
            b"\xff\xff.MD",
        ):
            with open(folder + b"/" + name, "wb") as file:
                file.write(b"[x](x.md)\n")
        os.symlink(b"nowhere\xff", folder + b"/\xfe.md")
        os.mkdir(folder + b"/\xfd")
        with open(folder + b"/\xfd/\xfc.md", "wb"):
            pass
    except OSError:
        pytest.skip("this file system takes no such names")
    return folder


def test_names_that_are_no_unicode_become_json(tmp_path: Path) -> None:
    """A name keeps its bytes in a finding, reads as U+FFFD in JSON, and is escaped in messages."""
    location = Path(os.fsdecode(_odd_folder(os.fsencode(tmp_path))))
    report = validated(location)
    assert_fits_schema(report)
    files = {one.file for one in report.findings}
    assert {"\udcff.md", "\udc80~", "\udcfd/", "\udcfd/\udcfc.md"} <= files
    data = report.to_json()
    assert data["location"] == f"{tmp_path}/caf\ufffd"
    assert {"\ufffd.md", "\ufffd~", "\ufffd/\ufffd.md"} <= {one["file"] for one in data["findings"]}
    said = [
        one.message for one in report.findings if one.file == "\udcff.md" and one.rule == "MF201"
    ]
    assert said == [r"`\xff.md` is no page name: it holds `\xff`"]
    assert [key(one) for one in report.findings] == sorted(key(one) for one in report.findings)


def test_report_is_plain_data() -> None:
    """Reports on the same bytes are equal, and can be kept in a set."""
    reports: set[Report] = {report_on({"a.md": page(title="no")}) for _ in range(2)}
    assert len(reports) == 1
