"""The adapter of the published command `mf` (PyPI: memoryfield).

`mf lint` is no validator of the standard: it checks pages against the writing conventions of mf.
Some of its findings speak of the standard, and only those are taken:

- Codes that begin with `spec-` are about "spec readers". `invalid-page` says that a page is no
  UTF-8, or that its frontmatter cannot be read; where it says that a required field is missing, it
  speaks of what mf requires, and is left out. All other codes (`missing-summary`, `summary-shape`,
  `duplicate-uuid`, `orphan`, …) are conventions of mf, and are left out.
- mf rates findings as error, warning or info, by what they mean for mf. `mf lint --check` fails
  for errors and warnings: so does a field here. `verdict` is invalid if a finding that is taken
  is an error or a warning, and `files` are the files of those. They are read from
  `mf lint --json`, whose exit code is always 0.
- An archive is unpacked with `mf unpack` into an empty folder, which is then linted. Where it
  refuses (exit code 1 and one line, `mf unpack: …`), the archive is invalid; the member that the
  line names is the file.
- It lists no pages without an index, which needs a model that it would have to download: `pages`
  is not answered. It prints no frontmatter, and knows no field pins: cases of pages and digests
  are skipped. No edits are put to it.

A crash of either command is no answer, and neither is a `mf lint` that gives up with one line. Its
standard is the public draft.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
from pathlib import Path

from command_adapter import (
    NoAnswer,
    Object,
    Ran,
    Workshop,
    by_bytes,
    command_of,
    scratch_folder,
    serve,
)

_OWN_CONVENTION = "missing required "
_COUNTED = ("error", "warning")
_REFUSED = re.compile(
    r"^mf unpack: (?:(?:refusing archive member|Bad CRC-32 for file|File name in directory) "
    r"('.*?'|\".*?\")(?=:|$| and header ))?",
    re.MULTILINE,
)


class Tool:
    """The command, and a folder into which each field is copied or unpacked."""

    def __init__(self, workshop: Workshop) -> None:
        """Work there."""
        self._workshop = workshop

    def hello(self) -> Object:
        """What it is, and what it answers."""
        return {
            "version": 1,
            "name": "memoryfield (mf)",
            "release": self._workshop.run("--version").out.split()[-1],
            "profile": "draft-0.1",
            "answers": {"field": ["verdict", "files"], "archive": ["verdict", "files"]},
        }

    def answer(self, case: Object) -> Object:
        """What `lint` says of a folder, or of what `unpack` made of an archive."""
        if case["source"] == "directory":
            folder = self._workshop.copy(case["path"], "field")
        else:
            archive = self._workshop.copy(case["path"], Path(case["path"]).name)
            folder = self._workshop.scratch / "unpacked"
            shutil.rmtree(folder, ignore_errors=True)
            try:
                ran = self._workshop.run("unpack", "--json", str(archive), str(folder))
            finally:
                archive.unlink()
            if ran.code:
                return _answer("invalid", refused(ran))
        files = faulty(self._workshop.run("lint", "--all", "--json", str(folder)))
        return _answer("invalid" if files else "valid", files)


def refused(ran: Ran) -> set[str]:
    """The member for which `unpack` refused an archive, where it names one.

    Raises:
        NoAnswer: it failed, and not with its one line.
    """
    line = _REFUSED.search(ran.err)
    if line is None:
        raise NoAnswer(f"`unpack` failed without a word, exit code {ran.code}")
    return {ast.literal_eval(line[1])} if line[1] else set()


def faulty(ran: Ran) -> set[str]:
    """The files of which `lint` says that they break the standard.

    Raises:
        NoAnswer: it printed no JSON.
    """
    try:
        findings = json.loads(ran.out)["findings"]
    except ValueError:
        said = ran.err.strip() or "printed no JSON"
        raise NoAnswer(f"`lint` exit code {ran.code}: {said}") from None
    return {
        str(finding["filename"])
        for finding in findings
        if finding["severity"] in _COUNTED and _speaks_of_the_standard(finding)
    }


def _speaks_of_the_standard(finding: Object) -> bool:
    if finding["code"] == "invalid-page":
        return not str(finding["message"]).startswith(_OWN_CONVENTION)
    return str(finding["code"]).startswith("spec-")


def _answer(verdict: str, files: set[str]) -> Object:
    return {"verdict": verdict, "files": by_bytes(files)}


def main() -> None:
    """Serve the protocol."""
    command = command_of(argparse.ArgumentParser(description=__doc__), "mf")
    with scratch_folder() as scratch:
        tool = Tool(Workshop(command, Path(scratch)))
        serve(tool.hello(), tool.answer)


if __name__ == "__main__":
    main()
