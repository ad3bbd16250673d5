"""What tests of reports share: a folder for a team's presets."""

from pathlib import Path

import pytest


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for a team's presets."""
    folder = tmp_path / "presets"
    folder.mkdir()
    monkeypatch.setenv("PERFHOUSE_PRESETS", str(folder))
    return folder


def written(folder: Path, sections: str, name: str = "own") -> None:
    """Write a preset with one chapter of these sections."""
    head = 'title = "Ours"\nfor = "tests"\n'
    text = (
        sections
        if sections.startswith("title =")
        else f'{head}[[chapter]]\ntitle = "A"\n{sections}'
    )
    (folder / f"{name}.toml").write_text(text)
