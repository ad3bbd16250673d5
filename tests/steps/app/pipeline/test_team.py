"""A team's own dbt project, without a build; tests/system builds the example of docs/team."""

import shutil
from pathlib import Path

import pytest

from app.pipeline.places import ROOT
from app.pipeline.team import packages, team
from ingest.base.errors import PerfhouseError

EXAMPLE = ROOT / "docs" / "team"


def test_only_a_dbt_project_is_a_teams_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERFHOUSE_HOME", str(tmp_path))
    monkeypatch.delenv("PERFHOUSE_DBT", raising=False)
    assert team() is None
    monkeypatch.setenv("PERFHOUSE_DBT", str(EXAMPLE))
    assert team() == (EXAMPLE, "acme")
    monkeypatch.setenv("PERFHOUSE_DBT", str(tmp_path))
    with pytest.raises(PerfhouseError, match=r"is no dbt project \(no dbt_project.yml\)"):
        team()
    shutil.copytree(EXAMPLE, tmp_path / "dbt")
    monkeypatch.delenv("PERFHOUSE_DBT")
    assert team() == (tmp_path / "dbt", "acme")


def test_empty_models_stand_in_for_those_that_a_team_has_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Path(shutil.copytree(EXAMPLE, tmp_path / "acme"))
    monkeypatch.setenv("PERFHOUSE_DBT", str(project))
    assert {link.name for link in packages(tmp_path, team()).iterdir()} == {"acme"}
    (project / "models/team_metrics.sql").unlink()
    assert {link.name for link in packages(tmp_path, team()).iterdir()} == {
        "acme", "no_team_metrics",
    }  # fmt: skip
    assert {link.name for link in packages(tmp_path, None).iterdir()} == {
        "no_team_findings", "no_team_metrics",
    }  # fmt: skip
