"""A field as people write it by hand, whose blocks do not parse: mended line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.validator.fields import write_files
from tests.validator.fixes_fields import fixable

from memoryfield_readers import inspect_field
from memoryfield_validator import Finding, Fixed, Request, fix, validate

PAGES = {
    "api-errors.md": """\
---
uuid: api-errors
title: API: what the error codes mean
summary: 409 = someone else was faster; 423 = the row is locked. Retry the first, never the second.
status: active
tags: [api, errors]
---
## Answer
- **409**: read it again, then write.
- **423**: wait for the nightly run: it lets go at 03:00.
""",
    "api-batch.md": """\
---
uuid: api-batch
title: API: how to send many rows
summary: `PUT /rows` takes up to 200 rows; each has an answer of its own.
status: active
tags: [api, batch]
---
Send at most 200 rows. The answer is a list:

```yaml
title: API: not a field, only code
row: 1
```
""",
    "auth-tokens.md": """\
---
uuid: auth-tokens
title: Auth: how long tokens live
summary: Two kinds: `short` for 10 minutes, `long` for a day; it's the gateway that renews them.
status: draft
tags:
  - auth
  - tokens
---
# Answer

Short ones live for 10 minutes --- long ones for a day.
""",
    "cache-keys.md": """\
---
uuid: 7d0c6f1a-3b1e-4a55-9d0e-2f3f7a4b8c11
title: @cache and its keys
summary: %s stands for the tenant in every key.
created: 2026-02-03T10:00:00Z
status: active   # since spring
---
Keys look like `%s:rows:17`.
""",
    "deploy-freeze.md": """\
---
title: Deploy: no releases on Fridays
summary: no
updated: 2026-05-01T12:00:00+02:00
tags: [deploy]
owner: { team: platform, since: 2025 }
---
No releases on Fridays. Source: https://example.com/freeze
""",
    "queue-retries.md": "---\r\nuuid: queue-retries\r\ntitle: Queue: retries and their limits\r\n"
    "summary: *Five* tries, then the dead-letter queue.\r\ntags: [queue]\r\n---\r\n"
    "After five tries a message is set aside.\r\n",
    "plain.md": """\
---
title: A page that says it all
uuid: 3f2b8f6e-2f6e-4bb1-8a60-9a5d1c0c7e21
created: '2026-03-01T09:00:00Z'
updated: '2026-03-02T09:00:00Z'
---
Nothing to mend: here is a colon. Source: https://example.com/
""",
    "only-text.md": "# Notes: the old staging host\n\nIt was switched off: nobody missed it.\n",
}
OTHERS = {"diagram.svg": b"<svg>title: a: b</svg>\r\n", "notes.txt": b"title: no: page\n"}

_FIELD = re.compile(r"(?P<key>\w+): (?P<value>.*)")
_ADDED = ("title", "uuid", "created", "updated")


class Line(NamedTuple):
    """A line that is not as it was.

    Attributes:
        number: where it was, or before which line it was put, from 1.
        before: what it was; None for a line that is new.
        after: what it is.
    """

    number: int
    before: str | None
    after: str


def lines_that_differ(before: str, after: str) -> list[Line]:
    """The lines that were changed or added; all others must be there still, in their order."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    found: list[Line] = []
    at = 0
    for line in new:
        if at < len(old) and line == old[at]:
            at += 1
        elif at < len(old) and line.partition(":")[0] == old[at].partition(":")[0]:
            found.append(Line(at + 1, old[at], line))
            at += 1
        else:
            found.append(Line(at + 1, None, line))
    assert at == len(old), old[at:]
    return found


def reasons(line: Line, findings: list[Finding]) -> Iterator[Finding]:
    """The findings that name a line."""
    key = line.after.partition(":")[0]
    for finding in findings:
        if line.before is None:
            if finding.message == f"there is no `{key}`" or finding.rule == "MF204":
                yield finding
        elif finding.rule == "MF301" or (
            finding.rule in ("MF304", "MF305") and f"`{key}`" in finding.message
        ):
            yield finding


def mended(folder: Path) -> Fixed:
    """The field after mending, on the disk."""
    write_files(folder, {**PAGES, **OTHERS})
    return fix(str(folder), Request())


def test_it_is_broken_indeed(tmp_path: Path) -> None:
    """Most of its blocks do not parse, and what they lack is hidden by that."""
    folder = write_files(tmp_path / "field", {**PAGES, **OTHERS})
    with inspect_field(folder) as field:
        report = validate(field)
    assert report.verdict == "invalid"
    broken = {finding.file for finding in report.findings if finding.rule == "MF301"}
    assert broken == PAGES.keys() - {"plain.md", "only-text.md"}
    assert all(f.fixable for f in report.findings if f.rule == "MF301")


def test_no_fixable_finding_is_left(tmp_path: Path) -> None:
    """What is left needs a decision: an identifier that is no UUID, a page without a source."""
    report = mended(tmp_path / "field").checked.report
    assert report is not None
    assert fixable(report) == []
    assert report.unread == ()
    assert {f.rule for f in report.findings if f.level == "error"} <= {"MF306"}


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    """Not even the times of the files."""
    folder = tmp_path / "field"
    mended(folder)
    before = {path.name: (path.read_bytes(), path.stat()) for path in folder.iterdir()}
    again = fix(str(folder), Request())
    assert again.proposal.changes == ()
    after = {path.name: (path.read_bytes(), path.stat()) for path in folder.iterdir()}
    assert {name: (raw, s.st_mtime_ns, s.st_ino) for name, (raw, s) in after.items()} == {
        name: (raw, s.st_mtime_ns, s.st_ino) for name, (raw, s) in before.items()
    }


def test_no_other_byte_is_changed(tmp_path: Path) -> None:
    """Each line that differs was quoted or added, and a finding names it."""
    folder = tmp_path / "field"
    findings = mended(folder).proposal.findings
    assert {path.name for path in folder.iterdir()} == PAGES.keys() | OTHERS.keys()
    for name, raw in OTHERS.items():
        assert (folder / name).read_bytes() == raw
    used: set[Finding] = set()
    for name, before in PAGES.items():
        own = [finding for finding in findings if finding.file == name]
        after = (folder / name).read_bytes().decode()
        lines = lines_that_differ(before, after)
        assert bool(lines) == bool(own), name
        ending = "\r\n" if "\r\n" in before else "\n"
        for line in lines:
            why = list(reasons(line, own))
            assert why, line
            used.update(why)
            assert line.after.endswith(ending)
            if line.before is not None:
                assert is_quoted(line), line
            elif line.after != f"---{ending}":
                assert line.after.partition(":")[0] in _ADDED
    assert used == set(findings)


def is_quoted(line: Line) -> bool:
    """Whether a line is what it was with quotes around its value."""
    assert line.before is not None
    old, new = _FIELD.match(line.before), _FIELD.match(line.after)
    assert old is not None
    assert new is not None
    value = old["value"].rstrip("\r")
    return new["value"].rstrip("\r") == "'" + value.replace("'", "''") + "'"


def test_the_first_line_at_fault_is_where_the_finding_stands(tmp_path: Path) -> None:
    """Reading stops there, so that one finding stands for all lines of a block it cannot parse."""
    folder = tmp_path / "field"
    findings = mended(folder).proposal.findings
    for finding in findings:
        if finding.rule == "MF301":
            assert finding.file is not None
            after = (folder / finding.file).read_bytes().decode()
            changed = [
                line for line in lines_that_differ(PAGES[finding.file], after) if line.before
            ]
            assert finding.line == changed[0].number


def test_what_is_said_stays_what_is_said(tmp_path: Path) -> None:
    """A reader then sees each value as it was written."""
    folder = tmp_path / "field"
    mended(folder)
    with inspect_field(folder) as field:
        page = {name: field.page(name).frontmatter.fields for name in field.pages}
    assert page["api-errors.md"]["title"] == "API: what the error codes mean"
    assert page["api-errors.md"]["tags"] == ["api", "errors"]
    assert str(page["api-batch.md"]["summary"]).startswith("`PUT /rows` takes")
    assert page["auth-tokens.md"]["summary"] == (
        "Two kinds: `short` for 10 minutes, `long` for a day; it's the gateway that renews them."
    )
    assert page["cache-keys.md"]["created"] == "2026-02-03T10:00:00Z"
    assert page["deploy-freeze.md"]["updated"] == "2026-05-01T12:00:00+02:00"
    assert page["deploy-freeze.md"]["summary"] == "no"
    assert page["queue-retries.md"]["summary"] == "*Five* tries, then the dead-letter queue."
    assert page["only-text.md"]["title"] == "Notes: the old staging host"
