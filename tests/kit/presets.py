"""What tests of reports share: a folder for a team's presets."""

from pathlib import Path

import pytest


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for a team's presets, with an empty one called own."""
    monkeypatch.setenv("PERFHOUSE_PRESETS", str(tmp_path))
    written(tmp_path / "own", {"preset.toml": 'title = "Ours"\nfor = "tests"\n'})
    return tmp_path


def written(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
