"""Which rules run, and by whose word they judge."""

from __future__ import annotations

from typing import Any

import pytest
from tests.validator.fields import NAME, archive, page, rules_in, validated

from memoryfield_readers import inspect_field
from memoryfield_spec import UnknownRequirement, catalogue
from memoryfield_validator import NotChecked, Report, registered, validate
from memoryfield_validator.conformance.raw_zip import Header, ZipEntry, zip_bytes

FIELD = archive(
    {
        "a.md": page("[x](x.md)\n", title="no", created="2026-02-30"),
        "B.md": page(title="a: b", number=1),
        "x/c.md": "",
        ".x": "",
    }
)
ALL = ["MF102", "MF103", "MF104", "MF201", "MF205", "MF209", "MF301", "MF304", "MF305", "MF308"]


def found(*, select: list[str] | None = None, ignore: list[str] | None = None) -> list[str]:
    """The ids of the findings, each once, in ascending order."""
    return sorted(set(rules_in(validated(FIELD, select=select, ignore=ignore))))


@pytest.mark.parametrize(
    ("select", "ignore", "expected"),
    [
        (None, None, ALL),
        (None, [], ALL),
        ([], None, []),
        (["MF"], None, ALL),
        (["MF3"], None, ["MF301", "MF304", "MF305", "MF308"]),
        (["MF304", "MF102"], None, ["MF102", "MF304"]),
        (["MF30", "MF304"], None, ["MF301", "MF304", "MF305", "MF308"]),
        (["mf3"], None, ["MF301", "MF304", "MF305", "MF308"]),
        (None, ["MF1", "mf2"], ["MF301", "MF304", "MF305", "MF308"]),
        (["MF3"], ["MF304", "MF308"], ["MF301", "MF305"]),
        (["MF3"], ["MF"], []),
        (None, ["MF8"], ALL),
    ],
)
def test_ids_and_their_beginnings_select(
    select: list[str] | None, ignore: list[str] | None, expected: list[str]
) -> None:
    """An id or its beginning, in either case, selects; what is ignored is left out of that."""
    assert found(select=select, ignore=ignore) == expected


@pytest.mark.parametrize("id", sorted(registered()))
def test_one_rule_alone_finds_what_it_finds_among_all(id: str) -> None:
    """No rule needs another one to have run before it."""
    data = zip_bytes(
        ZipEntry("a.md", page("[x](x.md)\n", title="no", created="2026-02-30").encode()),
        ZipEntry("b.md", page(updated="'0001-01-01'", more="1: .nan\n1: |\n  x\n").encode()),
        ZipEntry("b.md~"), ZipEntry("con.md", b"\x00\xff" * 5000), ZipEntry("Con.MD"),
        ZipEntry("index.md", b"\xef\xbb\xbf<<<<<<< a\n"), ZipEntry("listing.md", b"x.md\n"),
        ZipEntry("x/b.md"), ZipEntry("../c.md"), ZipEntry("é.md".encode()), ZipEntry("d", flags=1),
        ZipEntry("e.md", b"version https://git-lfs.github.com/spec/v1\n"),
    )  # fmt: skip
    together = [one for one in validated(data, name="x.zip").findings if one.rule == id]
    alone = validated(data, name="x.zip", select=[id])
    assert list(alone.findings) == together
    without = validated(data, name="x.zip", ignore=[id])
    assert id not in rules_in(without)
    assert len(without.findings) + len(alone.findings) == len(
        validated(data, name="x.zip").findings
    )


@pytest.mark.parametrize("pattern", ["MF9999", "MF00", "X", "", "304", "MF304 ", "MF3*"])
def test_unknown_pattern_is_an_error(pattern: str) -> None:
    """A pattern that no id of the catalogue begins with is refused, not passed over."""
    for settings in ({"select": [pattern]}, {"ignore": [pattern]}, {"select": ["MF3", pattern]}):
        with pytest.raises(UnknownRequirement) as caught:
            found(**settings)
        assert caught.value.id == pattern


@pytest.mark.parametrize("pattern", ["MF701", "MF7", "mf9"])
def test_what_is_not_checked_cannot_be_selected(pattern: str) -> None:
    """To select what has no rule is an error: nothing would be checked, and all would seem well."""
    with pytest.raises(NotChecked, match=f"{pattern} selects no requirement"):
        found(select=["MF3", pattern])
    assert found(ignore=[pattern]) == ALL


REVIEWED = archive({"a.md": page("he\u200bat [x](x.md)\n")})


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ["MF205", "MF209"]),
        ({"audit": True}, ["MF205", "MF801", "MF209"]),
        ({"select": ["MF"]}, ["MF205", "MF209"]),
        ({"select": ["MF"], "audit": True}, ["MF205", "MF801", "MF209"]),
        ({"select": ["MF8"]}, ["MF801"]),
        ({"select": ["mf801"]}, ["MF801"]),
        ({"select": ["MF2", "MF8"]}, ["MF205", "MF801", "MF209"]),
        ({"audit": True, "ignore": ["MF801"]}, ["MF205", "MF209"]),
        ({"select": ["MF2"], "audit": True}, ["MF205", "MF209"]),
    ],
)
def test_content_is_reviewed_where_that_is_asked_for(
    settings: dict[str, Any], expected: list[str]
) -> None:
    """By `audit`, or by naming the rules; a beginning of all ids does not name them."""
    with inspect_field(REVIEWED, name=NAME) as field:
        assert rules_in(validate(field, **settings)) == expected


def test_unknown_pattern_names_what_may_be_meant() -> None:
    """The error carries the ids that resemble the pattern."""
    with pytest.raises(UnknownRequirement, match="you may have meant") as caught:
        found(select=["MF3O4"])
    assert "MF304" in caught.value.nearest


def both(data: bytes) -> tuple[Report, Report]:
    """The report by this standard, and the one by the draft alone."""
    return validated(data), validated(data, profile="draft-0.1")


def test_draft_profile_shows_what_was_added_as_info() -> None:
    """The findings are the same in the same order; those of the kit alone are info."""
    kit, draft = both(FIELD)
    assert len(kit.findings) == len(draft.findings)
    for ours, theirs in zip(kit.findings, draft.findings, strict=True):
        origin = catalogue()[ours.rule].origin
        assert theirs.level == (ours.level if origin == "draft-0.1" else "info")
        assert (theirs.rule, theirs.file, theirs.line, theirs.message) == (
            (ours.rule, ours.file, ours.line, ours.message)
        )
    assert {catalogue()[one.rule].origin for one in kit.findings} == {"draft-0.1", "kit"}


@pytest.mark.parametrize(
    ("text", "kit", "draft"),
    [
        (page(), "valid", "valid"),
        (page(title="no"), "invalid", "valid"),
        (page(uuid="x"), "invalid", "valid"),
        (page(more="x: !y z\n"), "invalid", "valid"),
        (page(created="2026-02-28"), "invalid", "invalid"),
        (page(title="a: b"), "invalid", "invalid"),
        (b"\xff", "invalid", "invalid"),
    ],
)
def test_draft_profile_judges_by_the_draft_alone(text: str | bytes, kit: str, draft: str) -> None:
    """An error of ours does not make a field invalid by the draft; one of the draft's does."""
    reports = both(archive({"a.md": text}))
    assert [report.verdict for report in reports] == [kit, draft]


def test_draft_profile_keeps_milder_levels() -> None:
    """A warning of the draft stays one, and a summary counts the levels that are shown."""
    kit, draft = both(archive({"a.md": page("x" * 9000, title="no")}))
    assert kit.summary == {"error": 1, "warning": 1, "info": 1}
    assert draft.summary == {"error": 0, "warning": 1, "info": 2}


def test_a_field_whose_pages_are_all_at_fault_is_never_valid() -> None:
    """Where the fault is not asked for, what follows from it is told: there is no page."""
    twice = zip_bytes(ZipEntry("a.md", b"1\n"), ZipEntry("a.md", b"2\n"))
    for data in (twice, b"<html>"):
        assert "MF101" not in rules_in(validated(data, name="x.memoryfield.zip"))
        ignoring = validated(data, name="x.memoryfield.zip", ignore=["MF6"])
        assert (rules_in(ignoring), ignoring.verdict) == (["MF101"], "invalid")


@pytest.mark.parametrize(("select", "ignore"), [(["MF3"], None), (None, ["MF6"])])
def test_a_fault_that_was_not_asked_for_is_unread(
    select: list[str] | None, ignore: list[str] | None
) -> None:
    """What a fault keeps from being checked does not pass for checked, whatever is asked for."""
    damaged = zip_bytes(ZipEntry("a.md", b"1\n", local=Header(crc=1), central=Header(crc=1)))
    linked = zip_bytes(ZipEntry("a.md", b"/etc/passwd", attributes=0o120777 << 16))
    for data, rule in ((damaged, "MF601"), (linked, "MF605"), (b"<html>", "MF601")):
        assert validated(data, name="x.memoryfield.zip").unread == ()
        [error] = validated(data, name="x.memoryfield.zip", select=select, ignore=ignore).unread
        assert f"was not checked, {rule}" in str(error)


def test_by_the_draft_alone_nothing_unread_passes_either() -> None:
    """Where what hides the only page is told as info, the draft's own rule speaks, and it is 4."""
    twice = zip_bytes(ZipEntry("a.md", b"1\n"), ZipEntry("a.md", b"2\n"))
    report = validated(twice, name="x.memoryfield.zip", profile="draft-0.1")
    assert {(f.rule, f.level) for f in report.findings} == {("MF101", "error"), ("MF604", "info")}
    [error] = report.unread
    assert "was not checked, MF604" in str(error)
