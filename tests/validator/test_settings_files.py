"""Which file holds the settings: the nearest, but never one that a checked field brings along."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryfield_validator import SettingsError, find_settings

TABLE = '[tool.memoryfield]\nignore = ["MF205"]\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a folder in a folder."""
    (tmp_path / "project" / "docs" / "field").mkdir(parents=True)
    return (tmp_path / "project").resolve()


def test_nearest_file_upward_counts(project: Path) -> None:
    """A folder nearer to the start wins; in one folder `memoryfield.toml` does."""
    docs = project / "docs"
    (project / "pyproject.toml").write_text(TABLE)
    assert find_settings(docs / "field", []).path == project / "pyproject.toml"
    (project / "memoryfield.toml").write_text("")
    assert find_settings(docs / "field", []).path == project / "memoryfield.toml"
    (docs / "pyproject.toml").write_text(TABLE)
    assert find_settings(docs / "field", []).path == docs / "pyproject.toml"
    assert find_settings(project, []).path == project / "memoryfield.toml"


def test_pyproject_without_the_table_is_passed_by(project: Path) -> None:
    """It belongs to another tool; that is nothing to speak of."""
    (project / "pyproject.toml").write_text(TABLE)
    (project / "docs" / "pyproject.toml").write_text("[tool.ruff]\n")
    found = find_settings(project / "docs", [])
    assert (found.path, found.passed_over) == (project / "pyproject.toml", ())


def test_folder_of_that_name_is_no_file(project: Path) -> None:
    """Nor does it stand in the way."""
    (project / "pyproject.toml").write_text(TABLE)
    (project / "docs" / "memoryfield.toml").mkdir()
    assert find_settings(project / "docs", []).path == project / "pyproject.toml"


@pytest.mark.parametrize("start", ["docs/field", "docs/field/sub"])
def test_field_does_not_decide_how_it_is_checked(start: str, project: Path) -> None:
    """Whoever stands in a field that was sent, its settings are passed over, and that is told."""
    field = project / "docs" / "field"
    (field / "sub").mkdir()
    (field / "memoryfield.toml").write_text('ignore = ["MF"]\n')
    (field / "sub" / "pyproject.toml").write_text(TABLE)
    (project / "pyproject.toml").write_text(TABLE)
    found = find_settings(project / start, [field])
    assert found.path == project / "pyproject.toml"
    assert field / "memoryfield.toml" in found.passed_over
    assert ((field / "sub" / "pyproject.toml") in found.passed_over) == start.endswith("sub")


def test_broken_file_of_a_field_is_passed_over(project: Path) -> None:
    """It would not count if it were whole; one of another tool is not even told."""
    field = project / "docs" / "field"
    (field / "pyproject.toml").write_text("[tool.memoryfield\n")
    assert find_settings(field, [field]) == (None, (field / "pyproject.toml",))
    (field / "pyproject.toml").write_text("[tool.ruff]\n")
    assert find_settings(field, [field]) == (None, ())


def test_link_to_a_field_is_the_field(project: Path) -> None:
    """Another way to the same folder does not make its settings count."""
    field = project / "docs" / "field"
    (field / "memoryfield.toml").write_text("")
    link = project / "link"
    link.symlink_to(field, target_is_directory=True)
    assert find_settings(field, [link]).passed_over == (field / "memoryfield.toml",)
    assert find_settings(link, [field]).passed_over == (field / "memoryfield.toml",)


def test_broken_pyproject_on_the_way_is_an_error(project: Path) -> None:
    """It may hold settings: to go on without them would be to guess."""
    (project / "pyproject.toml").write_text("[tool.memoryfield\n")
    with pytest.raises(SettingsError, match="is no TOML"):
        find_settings(project / "docs", [])
