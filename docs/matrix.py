"""`make matrix`: put the conformance cases to our implementation and to the published commands.

Writes docs/who-agrees.md. The commands need Python 3.12 or newer; each is installed from PyPI, at
the release that is pinned here, into a virtual environment of its own below .matrix/. They are
started anew for each case, so that this takes about half an hour on two cores.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from who_agrees import Judged, page

ROOT = Path(__file__).resolve().parent.parent
ADAPTERS = ROOT / "conformance-fixtures" / "adapters"
CASES = ROOT / "conformance-fixtures" / "cases"
WORK = ROOT / ".matrix"
PAGE = ROOT / "docs" / "who-agrees.md"
RUNNER = Path(sys.executable).with_name("memoryfield")

OLDEST = (3, 12)
SECONDS = 150
"""How long the runner waits for an answer: longer than an adapter waits for its command."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An implementation that is asked.

    Attributes:
        adapter: the file name of its adapter.
        how: how it is asked, for the page.
        package: what pip installs, with its release; None for our own.
        command: the command that the package brings.
        archives: the groups of cases that are also put as archives; None for all cases by every
            source.
    """

    adapter: str
    how: str
    package: str | None = None
    command: str = ""
    archives: tuple[str, ...] | None = None


OURS = Asked("memoryfield_kit.py", "Everything, from folders and from archives.")
OTHERS = (
    Asked(
        "memoryfield_tool.py",
        "Verdict and files at fault from `memoryfield-tool validate`, pages from "
        "`memoryfield-tool catalog`, for fields as folders: it reads no archives.",
        "memoryfield-tool==0.5.0",
        "memoryfield-tool",
        (),
    ),
    Asked(
        "memoryfield_mf.py",
        "Verdict and files at fault from what `mf lint` says of the standard, as an error or a "
        "warning; it checks conventions of its own as well, which are left out. Fields as "
        "folders, and those of the hundreds 1xx and 6xx as archives, by `mf unpack` first.",
        "memoryfield==0.3.0",
        "mf",
        ("1xx", "6xx"),
    ),
)


def main() -> None:
    """Install, ask everyone, and write the page."""
    python = find_python()
    if python is None:
        stop("make matrix needs Python 3.12 or newer on PATH or under pyenv, and there is none")
    say(f"The published commands run with {python}")
    commands = {asked.adapter: installed(asked, python) for asked in OTHERS}
    ours, *others = ask((OURS, *OTHERS), commands)
    PAGE.write_text(page(ours, others), encoding="utf-8", newline="\n")
    say(f"Wrote {PAGE.relative_to(ROOT)}")


def find_python() -> str | None:
    """The oldest Python that is new enough: packages with compiled parts fit it soonest."""
    found = {python: version_of(python) for python in dict.fromkeys(candidates())}
    fit = [(version, python) for python, version in found.items() if version >= OLDEST]
    return min(fit, key=lambda one: one[0])[1] if fit else None


def candidates() -> Iterator[str]:
    """Python interpreters, by PATH and by pyenv; some may not work."""
    yield sys.executable
    for name in ("python3", "python", *(f"python3.{minor}" for minor in range(12, 20))):
        on_path = shutil.which(name)
        if on_path:
            yield on_path
    for root in pyenv_roots():
        yield from map(str, sorted((root / "versions").glob("*/bin/python")))


def pyenv_roots() -> Iterator[Path]:
    """Where pyenv may keep its versions."""
    pyenv = shutil.which("pyenv")
    if pyenv:
        said = subprocess.run([pyenv, "root"], capture_output=True, text=True)
        if said.returncode == 0 and said.stdout.strip():
            yield Path(said.stdout.strip())
    if os.environ.get("PYENV_ROOT"):
        yield Path(os.environ["PYENV_ROOT"])
    yield Path("~/.pyenv").expanduser()


def version_of(python: str) -> tuple[int, int]:
    """The version of an interpreter that can make virtual environments; (0, 0) for any other."""
    program = "import ensurepip, venv, sys; print(*sys.version_info[:2])"
    try:
        said = subprocess.run([python, "-c", program], capture_output=True, text=True, timeout=60)
        major, minor = said.stdout.split()
        return int(major), int(minor)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return 0, 0


def installed(asked: Asked, python: str) -> Path:
    """The command of a package, in an environment that is made unless it is there."""
    assert asked.package is not None  # noqa: S101 - our own is not installed
    home = WORK / asked.package
    command = home / ("Scripts" if os.name == "nt" else "bin") / asked.command
    ready = home / ".ready"
    if not ready.exists():
        say(f"Installing {asked.package}")
        shutil.rmtree(home, ignore_errors=True)
        run([python, "-m", "venv", str(home)])
        pip = [str(command.with_name("python")), "-m", "pip"]
        run([*pip, "install", "--quiet", "--disable-pip-version-check", asked.package])
        ready.touch()
    return command


def ask(everyone: tuple[Asked, ...], commands: Mapping[str, Path]) -> list[Judged]:
    """Put the cases to everyone, as much at once as there are processors."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        pending = [
            [
                pool.submit(partial(report, asked, commands.get(asked.adapter), part))
                for part in parts(asked)
            ]
            for asked in everyone
        ]
        return [
            Judged.of([one.result() for one in jobs], adapter=asked.adapter, how=asked.how)
            for asked, jobs in zip(everyone, pending, strict=True)
        ]


def parts(asked: Asked) -> list[list[str]]:
    """The arguments of the runner for each part of the cases that is put at once."""
    if asked.archives is None:
        return [[]]
    groups = sorted(folder.name for folder in CASES.iterdir() if folder.is_dir())
    folders = [[group, "--source", "directory"] for group in groups]
    return folders + [[group, "--source", "archive"] for group in asked.archives]


def report(asked: Asked, command: Path | None, part: list[str]) -> dict[str, Any]:
    """The report of the runner on a part of the cases."""
    adapter = [sys.executable, str(ADAPTERS / asked.adapter)]
    if command is not None:
        adapter += ["--command", str(command)]
    arguments = ["--adapter", shlex.join(adapter), "--timeout", str(SECONDS), "--format", "json"]
    # The exit code is 1 where a case fails, which is what the page is about.
    said = run([str(RUNNER), "conformance", "run", *part, *arguments], good=(0, 1))
    say(f"{asked.adapter}: {' '.join(part) or 'all cases'}")
    parsed: dict[str, Any] = json.loads(said)
    return parsed


def run(command: list[str], good: tuple[int, ...] = (0,)) -> str:
    """What a command prints; it has to end well."""
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=ROOT)
    if done.returncode not in good or (good != (0,) and not done.stdout):
        stop(f"{shlex.join(command)} failed:\n{done.stderr.strip()}")
    return done.stdout


def say(text: str) -> None:
    """Tell how far it is."""
    print(text, file=sys.stderr, flush=True)


def stop(why: str) -> NoReturn:
    """End with exit code 1."""
    raise SystemExit(why)


if __name__ == "__main__":
    main()
