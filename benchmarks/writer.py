"""What writing costs: one page of an archive of 10,000 changed, and 10,000 pages packed, as ratios.

What is compared is done in turn, so that a machine that is busy meanwhile is so for all of it, and
the least time of several rounds counts. The floor of an edit is what nobody can do without who
keeps an archive whole: its bytes copied (`cp`), the copy on the disk (`fsync`), and the archive
opened by Python's own `zipfile`. An edit is one call of `apply`, with all that belongs to it: the
lock, the field read and hashed anew, the review, the copy compared, the disk waited for. Neither
zipfile nor other programs wait for the disk.

    python benchmarks/writer.py [--rounds N] [--check] [--commands FOLDER]

Beside it stand programs of others where they are here, by their commands, which are compared with
ours: `zip -u`, and the published tools. No tool of them edits an archive: `mf` unpacks it and packs
it again, and `memoryfield-tool` edits a folder and exports it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from make_field import make_field
from memoryfield_writer import ReplacePage, apply, pack
from remote import best

_PAGES = 10_000
_MOST_FOR_EDIT = 3.0
_LEAST_AGAINST_REWRITING = 6.0
_MOST_FOR_PACKING = 1.3
_ROUNDS = 9
_FEW = 3
"""Rounds of what takes long and is not judged."""
_OURS = Path(sys.executable).with_name("memoryfield")
_MATRIX = Path(__file__).resolve().parent.parent / ".matrix"


class Edited:
    """An archive of which one page is changed, each time to another text."""

    def __init__(self, archive: Path, page: Path) -> None:
        """Take a copy of an archive, and the page in the middle of it."""
        self.archive = archive
        self.page = page.name
        self._text = page.read_text(encoding="utf-8")
        self._numbers = count()

    def text(self) -> str:
        """What the page holds next."""
        return f"{self._text}\nEdited for the {next(self._numbers)}th time.\n"

    def floor(self) -> None:
        """Copy the archive, have the copy on the disk, and open it."""
        copy = self.archive.with_suffix(".copy")
        shutil.copyfile(self.archive, copy)
        with copy.open("rb+") as file:
            os.fsync(file.fileno())
        zipfile.ZipFile(copy).close()
        copy.unlink()

    def apply(self) -> None:
        """Change the page with all checks."""
        apply(self.archive, [ReplacePage(self.page, self.text())])

    def rewrite(self) -> None:
        """Change the page as is done with `zipfile`: all entries read, and written anew."""
        made = self.archive.with_suffix(".made")
        with zipfile.ZipFile(self.archive) as old, zipfile.ZipFile(made, "w") as new:
            for info in old.infolist():
                is_it = info.filename == self.page
                new.writestr(info, self.text() if is_it else old.read(info))
        made.unlink()


def pack_with_zipfile(folder: Path, archive: Path, method: int = zipfile.ZIP_STORED) -> None:
    """Pack as is done with `zipfile`: a bare loop."""
    with zipfile.ZipFile(archive, "w", method) as made:
        for path in sorted(folder.iterdir()):
            made.write(path, path.name)


def pack_and_replace(folder: Path, archive: Path) -> None:
    """Pack in our form, with its checksum beside it."""
    pack(folder, archive, replace=True)


class Commands:
    """Programs that change a page of an archive, run as a person runs them."""

    def __init__(self, edited: Edited, folder: Path, scratch: Path, installed: Path) -> None:
        """Take what is edited, the same as a folder, a place to work, and where others are."""
        self._edited = edited
        self._folder = folder
        self._scratch = scratch
        self._installed = installed
        self._newest = 2_000_000_000
        self._theirs = scratch / "theirs.memoryfield.zip"
        shutil.copyfile(edited.archive, self._theirs)
        self._environment = os.environ | {"MEMORYFIELD_TOOL_CONFIG": str(scratch / "config.toml")}

    def ours(self) -> None:
        """`memoryfield apply`."""
        operation = {"op": "replace", "name": self._edited.page, "text": self._edited.text()}
        batch = self._scratch / "batch.json"
        batch.write_text(json.dumps({"version": 1, "operations": [operation]}))
        self._run(_OURS, "apply", self._edited.archive, batch)

    def others(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """Those that are here, and how they do it."""
        if zip_command := shutil.which("zip"):
            yield "zip -u", lambda: self._zip(zip_command)
        for name, work in (("mf", self._mf), ("memoryfield-tool", self._tool)):
            found = next(self._installed.glob(f"**/bin/{name}"), None)
            if found is None:
                print(f"{name} is not here: `make matrix` installs it")
            else:
                how = "unpack and pack" if name == "mf" else "write to a folder, and export"
                yield f"{name}: {how}", self._started(work, found)

    @staticmethod
    def _started(work: Callable[[Path], None], command: Path) -> Callable[[], None]:
        return lambda: work(command)

    def _zip(self, command: str) -> None:
        page = self._scratch / self._edited.page
        page.write_text(self._edited.text(), encoding="utf-8")
        self._newest += 2  # seconds, as archives have it
        os.utime(page, (self._newest, self._newest))
        self._run(command, "-q", "-u", self._theirs, page.name)

    def _mf(self, command: Path) -> None:
        folder = self._scratch / "unpacked"
        shutil.rmtree(folder, ignore_errors=True)
        self._run(command, "unpack", self._theirs, folder)
        (folder / self._edited.page).write_text(self._edited.text(), encoding="utf-8")
        self._run(command, "pack", folder, "--no-index", "--out", self._scratch / "mf.zip")

    def _tool(self, command: Path) -> None:
        if not (self._scratch / "config.toml").exists():
            self._run(command, "connect", "t", self._folder)
        write = ("write", self._edited.page, "--field", "t", "--force")
        self._run(command, *write, typed=self._edited.text())
        self._run(command, "export", "--field", "t", "--output", self._scratch / "tool.zip")

    def _run(self, *command: str | Path, typed: str = "") -> None:
        done = subprocess.run(
            command,
            input=typed,
            cwd=self._scratch,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{command[0]} failed: {done.stderr or done.stdout}")


def main() -> None:
    """Measure, print, and with --check fail beyond the limits."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    parser.add_argument("--check", action="store_true")
    parser.add_argument(
        "--commands", type=Path, default=_MATRIX, help="below which the published tools are"
    )
    options = parser.parse_args()
    missed: list[str] = []

    def say(what: str, value: float, bound: str = "", *, kept: bool = True) -> None:
        print(f"{what:<62} {value:>8.2f}  {bound}{'' if kept else '   NOT KEPT'}", flush=True)
        if not kept:
            missed.append(what)

    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        field = root / "large"
        make_field(field, _PAGES)
        page = sorted(field.iterdir())[_PAGES // 2]
        archives = {name: root / f"{name}.memoryfield.zip" for name in ("stored", "deflated")}
        pack(field, archives["stored"], checksum=False)
        pack_with_zipfile(field, archives["deflated"], zipfile.ZIP_DEFLATED)
        for name, archive in archives.items():
            edited = Edited(archive, page)
            works = (edited.floor, edited.apply, edited.rewrite)
            floor, ours, rewriting = best(options.rounds, *works)
            say(
                f"one page of {_PAGES:,} changed, {name} / cp, fsync, zipfile's opening",
                ours / floor,
                f"at most {_MOST_FOR_EDIT:g}",
                kept=ours <= _MOST_FOR_EDIT * floor,
            )
            say(
                f"all entries rewritten with zipfile, {name} / that",
                rewriting / ours,
                f"at least {_LEAST_AGAINST_REWRITING:g}",
                kept=rewriting >= _LEAST_AGAINST_REWRITING * ours,
            )
        bare, packing = best(
            options.rounds,
            lambda: pack_with_zipfile(field, root / "bare.zip"),
            lambda: pack_and_replace(field, root / "packed.memoryfield.zip"),
        )
        say(
            f"{_PAGES:,} pages packed / a bare loop of zipfile",
            packing / bare,
            f"at most {_MOST_FOR_PACKING:g}",
            kept=packing <= _MOST_FOR_PACKING * bare,
        )
        for name, archive in archives.items():
            commands = Commands(Edited(archive, page), field, root, options.commands)
            for what, other in commands.others():
                ours, theirs = best(_FEW, commands.ours, other)
                say(f"{what}, {name} / memoryfield apply", theirs / ours)
    if missed and options.check:
        raise SystemExit("beyond the limit: " + "; ".join(missed))


if __name__ == "__main__":
    main()
