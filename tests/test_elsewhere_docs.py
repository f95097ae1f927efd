"""What docs/elsewhere.md says of options, errors and order is true."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.command import call

import memoryfield_readers as readers
from memoryfield_readers.transfer.options import DEFAULT_RETRIES, DEFAULT_TIMEOUT

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs" / "elsewhere.md").read_text(encoding="utf-8")


def test_options_exist_with_their_defaults() -> None:
    """Each option that is named is one of `ls`, `digest` or pip."""
    known = {
        option
        for command in ("ls", "digest", "validate")
        for option in re.findall(r"--[a-z-]+", call(command, "--help").out)
    }
    assert set(re.findall(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*", TEXT)) <= known
    assert f"may take to begin ({DEFAULT_TIMEOUT:g})" in TEXT
    assert f"for a reason that may pass ({DEFAULT_RETRIES})" in TEXT


def test_errors_have_these_exit_codes() -> None:
    """Every row of the table names errors of the readers and what they exit with."""
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| (\d) \|", TEXT, re.MULTILINE)
    assert len(rows) == 9
    for names, code in rows:
        for name in re.findall(r"\w+", names):
            assert getattr(readers, name).exit_code == int(code)


def test_the_readme_leads_here() -> None:
    """The README names every scheme that this page has a heading for, and links to it."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "(docs/elsewhere.md)" in readme
    for scheme in ("https://", "s3://", "github://", "git+file://", "git+https://", "memory://"):
        assert f"`{scheme}" in readme
