"""A secret is found, and no report repeats it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from tests.validator.fields import page, write_files

from memoryfield_readers import inspect_field
from memoryfield_validator import Report, checked, validate
from memoryfield_validator.checked import Checked
from memoryfield_validator.content_review.patterns import pattern_list
from memoryfield_validator.content_review.secrets import (
    MASK,
    with_secrets_hidden,
    without_secrets,
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


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (f"`{TOKEN}` is no UUID", f"`{MASK}` is no UUID"),
        (f"`{TOKEN[:20]}…` is no UUID", f"`{MASK}…` is no UUID"),
        (f"{TOKEN} and {TOKEN}", f"{MASK} and {MASK}"),
        ("nothing of it", "nothing of it"),
    ],
)
def test_messages_are_freed_of_secrets(message: str, expected: str) -> None:
    """Whole or cut short, once or more often."""
    assert without_secrets(message, [TOKEN]) == expected
