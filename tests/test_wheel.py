"""The wheel holds the rooms with their data, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path
from typing import get_args

import pytest
from hatch_build import SHIPPED

from memoryfield_spec import __version__, catalogue
from memoryfield_spec.schemas import SchemaName

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = SETTINGS["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
DIST_INFO = f"memoryfield_kit-{__version__}.dist-info"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built by the build back-end as pip would have it built, but with no network."""
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", build, folder],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return folder / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    """The names of the files in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_wheel_is_for_every_machine(wheel: Path) -> None:
    """Pure Python, any platform."""
    assert wheel.name == f"memoryfield_kit-{__version__}-py3-none-any.whl"


def test_wheel_holds_every_file_of_every_room(names: set[str]) -> None:
    """The packages as they are in the repository, and beside them the wheel's own records."""
    expected = {
        path.relative_to((ROOT / package).parent).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.name[0] != "."
    }
    for path, shipped in SHIPPED.items():
        expected |= {
            (Path(shipped) / found.relative_to(ROOT / path)).as_posix()
            for found in ((ROOT / path).rglob("*") if (ROOT / path).is_dir() else [ROOT / path])
            if found.is_file() and "__pycache__" not in found.parts
        }
    records = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
    assert names == expected | {f"{DIST_INFO}/{name}" for name in records}


def test_wheel_holds_the_data_of_the_standard(names: set[str]) -> None:
    """Catalogue, schemas and model codes are there, and each package is typed."""
    schemas = {f"{name}.schema.json" for name in get_args(SchemaName)}
    data = {"catalogue.toml", "models.toml", *schemas}
    assert {f"memoryfield_spec/{name}" for name in data} <= names
    assert {f"{Path(package).name}/py.typed" for package in PACKAGES} <= names


def test_wheel_says_what_it_is(wheel: Path) -> None:
    """Name, version and the Python it needs are those of `pyproject.toml`; so is the command."""
    with zipfile.ZipFile(wheel) as archive:
        metadata = message_from_string(archive.read(f"{DIST_INFO}/METADATA").decode())
        commands = archive.read(f"{DIST_INFO}/entry_points.txt").decode()
    assert (metadata["Name"], metadata["Version"]) == ("memoryfield-kit", __version__)
    assert metadata["Requires-Python"] == SETTINGS["project"]["requires-python"]
    assert "memoryfield = memoryfield_cli.start:run" in commands
    assert metadata.get_payload() == (ROOT / "README.md").read_text(encoding="utf-8")


def test_wheel_works_by_itself(wheel: Path, tmp_path: Path) -> None:
    """From the wheel alone, the command reads its data and judges a field."""
    script = (
        "import sys; sys.path.insert(0, sys.argv.pop(1))\n"
        "import memoryfield_spec; assert '.whl' in memoryfield_spec.__file__\n"
        "from memoryfield_cli.start import run; run()"
    )
    for arguments, code in (
        (["rules"], 0),
        (["validate", "--format", "json", tmp_path], 1),
        (["validate", ROOT / "docs" / "handbook"], 0),
        (["conformance", "run", "examples"], 0),
    ):
        done = subprocess.run(
            [sys.executable, "-c", script, wheel, *arguments],
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert (done.returncode, done.stderr) == (code, "")
        if arguments == ["rules"]:
            assert done.stdout.count("\n") == len(catalogue())
