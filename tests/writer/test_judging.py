"""Edited pages before and after: new errors are rejected, old faults stand in nobody's way."""

from __future__ import annotations

import pytest
from tests.writer.edits import edited, page, planned

from memoryfield_readers import BatchRejected
from memoryfield_writer import (
    AddPage,
    Operation,
    RemovePage,
    RenameAttachment,
    RenamePage,
    ReplacePage,
    ReplaceText,
)
from memoryfield_writer.planning.judging import page_rules

A = page("A")
BARE_DATE = A.replace('created: "2026-03-01T09:00:00Z"', "created: 2026-03-01")
UNCLOSED = A.replace("---\n# A", "# A")
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n"
FIELD = {"a.md": A, "b.md": page("B", "See [a](a.md), from https://example.org/b.\n")}


def rules_of(*operations: Operation, field: dict[str, str | bytes] | None = None) -> list[str]:
    """The rules of the findings that are told of an edit that passes."""
    return [finding.rule for finding in planned(field or FIELD, *operations).findings]


def test_a_good_page_has_no_findings() -> None:
    """The pages of these tests are without a fault, so that each fault is one of the test's."""
    assert rules_of(AddPage("x.md", page("X")), ReplacePage("a.md", page("A2"))) == []


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (UNCLOSED, "MF301"),
        (A.replace('title: "A"', "title: A: b"), "MF301"),
        (BARE_DATE, "MF304"),
        (A.replace('title: "A"', "title: no"), "MF305"),
        (b"\xff" + A.encode(), "MF202"),
        (A.replace("uuid: 7d", "uuid: xx"), "MF306"),
        (POINTER, "MF108"),
    ],
)
def test_a_new_error_is_rejected(text: str | bytes, rule: str) -> None:
    """A page that breaks the standard is not written, be it new or edited."""
    for operation in (AddPage("x.md", text), ReplacePage("a.md", text)):
        with pytest.raises(BatchRejected) as found:
            planned({"a.md": page("Other"), "b.md": page("B")}, operation)
        assert rule in found.value.rules
        assert found.value.entry == operation.name
        assert rule in found.value.message


def test_an_error_that_was_there_stays() -> None:
    """A page that is broken can be edited and stay so; it cannot be broken in another way."""
    field: dict[str, str | bytes] = {"a.md": BARE_DATE, "b.md": page("B")}
    assert rules_of(ReplaceText("# A", "# AA"), field=field) == []
    assert rules_of(ReplacePage("a.md", BARE_DATE + "More.\n"), field=field) == []
    assert rules_of(RenamePage("a.md", "c.md"), field=field) == []
    assert (
        rules_of(RenamePage("a.md", "c.md"), ReplaceText("# A", "# AA", "c.md"), field=field) == []
    )
    assert rules_of(RemovePage("a.md"), AddPage("a.md", BARE_DATE + "More.\n"), field=field) == []
    worse = BARE_DATE.replace('updated: "2026-03-01T09:00:00Z"', "updated: 2026-03-01")
    with pytest.raises(BatchRejected) as found:
        planned(field, ReplacePage("a.md", worse))
    assert found.value.rules == ("MF304",)
    assert "`updated`" in found.value.message
    assert "`created`" not in found.value.message


def test_an_error_elsewhere_stands_in_nobodys_way() -> None:
    """Faults of pages that are not edited are not looked at."""
    assert rules_of(AddPage("x.md", page("X")), field={"a.md": UNCLOSED, "b.md": b"\xff"}) == []


def test_a_page_that_takes_anothers_place_is_judged_by_what_it_was() -> None:
    """Where a broken page goes to another name, the name that it leaves gives no right to it."""
    field: dict[str, str | bytes] = {"a.md": BARE_DATE, "b.md": page("B")}
    with pytest.raises(BatchRejected):
        planned(field, RenamePage("a.md", "c.md"), AddPage("a.md", BARE_DATE + "More.\n"))


def test_an_attachment_that_becomes_a_page_is_a_new_page() -> None:
    """A text that was no page is judged as a whole when it becomes one."""
    field: dict[str, str | bytes] = {"a.md": A, "x.MD": UNCLOSED}
    with pytest.raises(BatchRejected) as found:
        planned(field, RenameAttachment("x.MD", "x.md"))
    assert found.value.rules == ("MF301",)
    assert edited({"a.md": A, "x.MD": page("X")}, RenameAttachment("x.MD", "x.md"))["x.md"]


def test_warnings_are_told_and_pass() -> None:
    """New findings that are no errors are part of the answer."""
    assert rules_of(AddPage("x.md", "# X\n")) == ["MF205", "MF204"]
    assert rules_of(ReplacePage("a.md", A + "a" * 8192)) == ["MF203"]
    assert rules_of(ReplacePage("a.md", "\ufeff" + A)) == ["MF207"]
    assert rules_of(ReplacePage("a.md", A.replace("uuid:", "title: A\nuuid:"))) == ["MF311"]
    assert rules_of(ReplacePage("a.md", A + "<<<<<<< ours\nx\n=======\n>>>>>>> x\n")) == ["MF211"]


def test_dead_links_are_told() -> None:
    """A link in an edited page that leads nowhere is told, unless it did so before."""
    linking = page("X", "See [n](none.md) and [b](b.md), from https://example.org/.\n")
    assert rules_of(AddPage("x.md", linking)) == ["MF209"]
    assert rules_of(AddPage("x.md", linking), AddPage("none.md", page("N"))) == []
    assert rules_of(AddPage("x.md", linking), RemovePage("b.md")) == ["MF209", "MF209"]
    field: dict[str, str | bytes] = {**FIELD, "x.md": linking}
    assert rules_of(ReplaceText("# X", "# XX", "x.md"), field=field) == []


def test_a_listing_that_lacks_a_page_is_told() -> None:
    """A page that comes or goes is told of where a listing does not say so."""
    listing = page("List", "- [a](a.md)\n- [b](b.md)\n\nFrom https://example.org/.\n")
    field: dict[str, str | bytes] = {**FIELD, "listing.md": listing}
    assert rules_of(AddPage("x.md", page("X")), field=field) == ["MF402"]
    assert rules_of(RemovePage("b.md"), field=field) == ["MF402"]
    assert rules_of(ReplacePage("a.md", page("A2")), field=field) == []
    told = rules_of(
        AddPage("x.md", page("X")),
        ReplaceText("- [b](b.md)\n", "- [b](b.md)\n- [x](x.md)\n", "listing.md"),
        field=field,
    )
    assert told == []


UUID = "7d3b9b1e-5d5a-4c57-9a3c-00000000abcd"
WITH = page("W", uuid=0xABCD)


@pytest.mark.parametrize(
    "other",
    [
        WITH.replace("# W", "# Other"),
        WITH.replace(UUID, UUID.upper()),
        WITH.replace(UUID, f'"{UUID}"'),
        WITH.replace(f"uuid: {UUID}", f'"\\u0075uid": {UUID}'),
        WITH.replace(UUID, '"\\x37' + UUID[1:] + '"'),
        WITH.replace("---\ntitle", "---\nx: &u " + UUID + "\ntitle").replace(
            f"uuid: {UUID}", "uuid: *u"
        ),
        "\ufeff" + WITH,
        WITH.replace("\n", "\r\n"),
    ],
    ids=[str(n) for n in range(8)],
)
def test_no_page_gets_the_uuid_of_another_one(other: str) -> None:
    """A uuid that is new to a page is no other page's, however that one writes it."""
    field: dict[str, str | bytes] = {"a.md": A, "o.md": other, "p.md": "# P\n\\ " + UUID}
    for operation in (AddPage("x.md", WITH), ReplacePage("a.md", WITH)):
        with pytest.raises(BatchRejected) as found:
            planned(field, operation)
        assert found.value.rules == ("MF307",)
        assert found.value.entry == operation.name
        assert "`o.md`" in found.value.message


def test_uuids_that_nobody_else_has() -> None:
    """A uuid in the text of another page is none; a page keeps its own across names."""
    field: dict[str, str | bytes] = {"a.md": A, "w.md": WITH, "p.md": "# P\n" + UUID}
    assert edited(field, RenamePage("w.md", "v.md"), ReplaceText("# W", "# V", "v.md"))
    assert edited(field, RemovePage("w.md"), AddPage("v.md", WITH))
    assert edited({"a.md": A, "b.md": A, "c.md": WITH}, ReplaceText("# W", "# V", "c.md"))
    assert edited({"a.md": A, "b.md": A, "c.md": WITH}, ReplacePage("a.md", A + "More.\n"))


def test_two_pages_of_a_batch_that_share_a_uuid() -> None:
    """Pages of one batch are compared with each other, many as well as few, odd ones too."""
    with pytest.raises(BatchRejected) as found:
        planned(FIELD, AddPage("x.md", WITH), AddPage("y.md", WITH.upper().replace("UUID", "uuid")))
    assert "MF307" in found.value.rules
    many = [AddPage(f"p{n}.md", page(f"P{n}", uuid=n + 1)) for n in range(20)]
    assert len(planned(FIELD, *many).plan.puts) == 20
    with pytest.raises(BatchRejected):
        planned({**FIELD, "o.md": page("O", uuid=7)}, *many)


def test_rules_that_need_a_field_are_looked_at_apart() -> None:
    """All rules that judge a page alone are run, and none that would misjudge it."""
    rules = set(page_rules())
    assert {"MF108", "MF202", "MF301", "MF304", "MF801", "MF804", "MF806"} <= rules
    assert rules.isdisjoint({"MF101", "MF106", "MF209", "MF307", "MF401", "MF402"})
