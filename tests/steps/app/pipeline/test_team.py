"""A team's own dbt project, without a build; tests/system builds the example of docs/team."""

import re
import shutil
from pathlib import Path

import pytest

from app.pipeline.places import ROOT
from app.pipeline.team import packages, teams
from ingest.base.errors import PerfhouseError

EXAMPLE = ROOT / "docs" / "team"
MISTAKES = ROOT / "examples" / "mistakes"


def test_only_a_dbt_project_is_a_teams_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERFHOUSE_HOME", str(tmp_path))
    monkeypatch.delenv("PERFHOUSE_DBT", raising=False)
    assert teams() == []
    monkeypatch.setenv("PERFHOUSE_DBT", f"{EXAMPLE}:{MISTAKES}")
    assert teams() == [(EXAMPLE, "acme"), (MISTAKES, "mistaken")]
    for named, why in (
        (
            str(tmp_path),
            r"is no dbt project \(no dbt_project.yml\): name the folder of one, or unset",
        ),
        (f"{EXAMPLE}:{EXAMPLE}", "a project is called acme already: rename it"),
    ):
        monkeypatch.setenv("PERFHOUSE_DBT", named)
        with pytest.raises(PerfhouseError, match=why):
            teams()
    shutil.copytree(EXAMPLE, tmp_path / "dbt")
    monkeypatch.delenv("PERFHOUSE_DBT")
    assert teams() == [(tmp_path / "dbt", "acme")]


def test_what_projects_give_to_our_marts_is_put_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {}
    for named in ("", str(EXAMPLE), f"{EXAMPLE}:{MISTAKES}"):
        monkeypatch.setenv("PERFHOUSE_HOME", str(tmp_path))
        monkeypatch.setenv("PERFHOUSE_DBT", named)
        folder = packages(tmp_path / "cache", teams())
        metrics = (folder / "teams/models/teams_metrics.sql").read_text()
        given[named] = (
            {link.name for link in folder.iterdir()},
            re.findall(r"ref\((.*?)\)", metrics),
        )
    acme, mistaken = "'acme', 'team_metrics'", "'mistaken', 'team_metrics_mistaken'"
    assert list(given.values()) == [
        ({"teams"}, []),
        ({"teams", "acme"}, [acme]),
        ({"teams", "acme", "mistaken", "lent"}, [acme, mistaken]),
    ]
