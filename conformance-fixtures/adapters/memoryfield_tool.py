"""The adapter of the published command `memoryfield-tool` (PyPI: memoryfield-tool).

How its answers are derived:

- A copy of the field is connected once under the name `t`, in a configuration of its own, and
  `memoryfield-tool validate --field t` is asked about each. It prints one line a finding, such as
  `t/a.md: error: …` or `t/a.md: warning: …`, and last `t: 1 errors, 0 warnings`.
- `verdict` is invalid if that last line counts errors. Warnings do not count: the exit code is 1
  for errors alone. `files` are the files of the lines that say `error`; `t/(field)` is no file.
- A field that it refuses as a whole is invalid, too. It then prints `error: memoryfield t: …` to
  stderr and no last line, and exits with 0; the `object '…'` that the line names is the file.
- `pages` are the file names that `memoryfield-tool catalog --field t --json` lists.
- It reads no archives, and prints no digests and no frontmatter but for titles: cases of archives,
  pages and digests are skipped. No edits are put to it.

A crash of either command is no answer. Its standard is the public draft.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from command_adapter import (
    NoAnswer,
    Object,
    Ran,
    Skip,
    Workshop,
    by_bytes,
    command_of,
    names_below,
    scratch_folder,
    serve,
)

FIELD = "t"
WHOLE = "(field)"
_COUNTS = re.compile(rf"^{FIELD}: (\d+) errors?, (\d+) warnings?$", re.MULTILINE)
_REFUSED = re.compile(rf"^error: memoryfield {FIELD}: (?:object ('.*'|\".*\"))?", re.MULTILINE)


class Tool:
    """The command, connected to a folder into which each field is copied."""

    def __init__(self, workshop: Workshop) -> None:
        """Connect the folder while it is empty: what it holds is looked at later."""
        self._workshop = workshop
        workshop.environment["MEMORYFIELD_TOOL_CONFIG"] = str(workshop.scratch / "config.toml")
        folder = workshop.scratch / "field"
        folder.mkdir()
        ran = workshop.run("connect", FIELD, str(folder))
        if ran.code:
            raise SystemExit(f"connect failed: {workshop.without_path(ran.err)}")

    def hello(self) -> Object:
        """What it is, and what it answers."""
        schema = self._workshop.run("--schema").out
        return {
            "version": 1,
            "name": "memoryfield-tool",
            "release": str(_parsed("--schema", schema)["version"]),
            "profile": "draft-0.1",
            "answers": {"field": ["verdict", "files", "pages"]},
        }

    def answer(self, case: Object) -> Object:
        """The verdict of `validate`, the files that it names, and the pages of `catalog`."""
        if case["source"] != "directory":
            raise Skip("it reads no archives")
        folder = self._workshop.copy(case["path"], "field")
        verdict, files = judged(self._workshop.run("validate", "--field", FIELD), folder)
        try:
            pages = listed(self._workshop.run("catalog", "--field", FIELD, "--json"))
        except NoAnswer as error:
            raise NoAnswer(f"`validate` says {verdict}, but {error}") from None
        return {"verdict": verdict, "files": by_bytes(files), "pages": by_bytes(pages)}


def judged(ran: Ran, folder: Path) -> tuple[str, set[str]]:
    """The verdict of `validate`, and the files that it names as errors.

    Raises:
        NoAnswer: its output is not of the form that is known, or counts other errors than it names.
    """
    refused = _REFUSED.search(ran.err)
    if refused:
        return "invalid", {ast.literal_eval(refused[1])} if refused[1] else set()
    counted = _COUNTS.search(ran.out)
    if counted is None:
        raise NoAnswer(f"`validate` counts nothing, exit code {ran.code}")
    named = list(_errors(ran.out, names_below(folder)))
    if len(named) != int(counted[1]):
        raise NoAnswer(f"`validate` counts {counted[1]} errors and names {len(named)}")
    return "invalid" if named else "valid", set(named) - {WHOLE}


def listed(ran: Ran) -> set[str]:
    """The file names that `catalog` lists."""
    return {str(row["filename"]) for row in _parsed("catalog", ran.out)}


def _errors(out: str, names: Iterable[str]) -> Iterable[str]:
    """The file of each error; a name may hold a colon or a line end, so that names are known."""
    longest_first = sorted({*names, WHOLE}, key=len, reverse=True)
    any_name = "|".join(map(re.escape, longest_first))
    return re.findall(rf"^{FIELD}/({any_name}): error: ", out, re.MULTILINE)


def _parsed(what: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise NoAnswer(f"`{what}` printed no JSON") from None


def main() -> None:
    """Serve the protocol."""
    command = command_of(argparse.ArgumentParser(description=__doc__), "memoryfield-tool")
    with scratch_folder() as scratch:
        tool = Tool(Workshop(command, Path(scratch)))
        serve(tool.hello(), tool.answer)


if __name__ == "__main__":
    main()
