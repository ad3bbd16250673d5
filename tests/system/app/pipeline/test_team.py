"""A team's own dbt project, the example of docs/team, built and published; tests are in order."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.pipeline import steps
from app.pipeline.places import ROOT
from expectations.outcome import AuditResult, ExpectationOutcome
from ingest.lake.warehouse import Warehouse
from tests.kit.days import write_day

EXAMPLE = ROOT / "docs" / "team"
DAYS = 4  # so many that one more is less than half

pytestmark = pytest.mark.timeout(900)


class Site:
    """A warehouse whose builds have a team's project in them."""

    def __init__(self, folder: Path) -> None:
        self.project = Path(shutil.copytree(EXAMPLE, folder / "acme"))
        self.warehouse = Warehouse(folder / "warehouse" / "x.duckdb")
        self.dumps = folder / "dumps"

    def edit(self, file: str, old: str, new: str) -> None:
        text = (self.project / file).read_text()
        assert old in text
        (self.project / file).write_text(text.replace(old, new))

    def published(self) -> AuditResult:
        steps.build(self.warehouse)
        audit = steps.check(self.warehouse)
        steps.publish(self.warehouse)
        return audit

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with self.warehouse.connect() as db:
            return db.execute(query).fetchall()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = Site(tmp_path_factory.mktemp("team"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PERFHOUSE_DBT", str(site.project))
        site.edit("dbt_project.yml", "too_busy_percent: 90", "too_busy_percent: 1")
        steps.ingest_paths(site.warehouse, [write_day(site.dumps, day) for day in range(DAYS)])
        yield site


def of_team(audit: AuditResult) -> dict[str, ExpectationOutcome]:
    return {outcome.expectation: outcome for outcome in audit.results if outcome.suite == "team"}


BUSY = "SELECT count(*) FROM team.fct_busy_hour"
FOUND = "SELECT count(*) FROM marts.fct_data_issue WHERE kind = 'too_busy'"
MEASURED = (
    "SELECT count(DISTINCT run_id) FROM marts.fct_measurement WHERE metric = 'mb_per_cpu_second'"
)


def test_a_teams_models_metrics_findings_and_tests_are_in_what_is_published(site: Site) -> None:
    audit = site.published()
    assert {name: found.observed for name, found in of_team(audit).items()} == dict.fromkeys(
        [
            "fct_busy_hour", "team_findings", "team_metrics", "no_run_lasts_longer_than_a_day",
            "not_null_fct_busy_hour_hour_utc", "not_null_fct_busy_hour_busy_percent",
        ],
        "passed",
    )  # fmt: skip
    ((hours,),) = site.rows(BUSY)
    assert hours >= DAYS
    assert site.rows(FOUND) == [(hours,)]
    assert site.rows(MEASURED) == [(DAYS,)]
    assert site.rows(
        "SELECT unit, more_is_better, formula FROM marts.dim_metric "
        "WHERE metric = 'mb_per_cpu_second'"
    ) == [("MB/CPU s", True, "bytes / 1048576 / cpu_seconds")]
    assert site.rows(
        "SELECT layer, path, parents FROM meta.lineage WHERE name = 'team.fct_busy_hour'"
    ) == [("team", "models/fct_busy_hour.sql", ["marts.fct_lpar_interval"])]
    assert site.rows(
        "SELECT comment FROM duckdb_tables() WHERE schema_name = 'team' "
        "AND table_name = 'fct_busy_hour'"
    ) == [("One row per system and hour: how busy its CPs were in the busiest interval.",)]


def test_a_build_of_a_new_day_and_of_a_forgotten_load_has_a_teams_models_of_all_days(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(Warehouse, "discard_work")  # nothing is built from nothing
    ((hours,),) = site.rows(BUSY)
    steps.ingest_paths(site.warehouse, [write_day(site.dumps, DAYS)])
    site.published()
    ((more_hours,),) = site.rows(BUSY)
    assert more_hours > hours
    assert site.rows(FOUND) == [(more_hours,)]
    assert site.rows(MEASURED) == [(DAYS + 1,)]
    for (source_id,) in site.rows(
        f"SELECT source_id FROM raw.ledger WHERE path LIKE '%/{DAYS:02}/%'"
    ):
        steps.forget_load(site.warehouse, source_id)
    site.published()
    assert site.rows(BUSY) == [(hours,)]
    assert site.rows(FOUND) == [(hours,)]
    assert site.rows(MEASURED) == [(DAYS,)]


def test_a_broken_model_of_a_team_costs_only_what_reads_it(site: Site) -> None:
    site.edit("models/fct_busy_hour.sql", "lpar_busy_percent)", "lpar_bussy)")
    site.edit("tests/no_run_lasts_longer_than_a_day.sql", "86400", "0")
    (site.project / "tests/runs_are_none.sql").write_text("SELECT 1 FROM {{ ref('fct_run') }}")
    (site.project / "models/fct_puts.sql").write_text(
        "SELECT count(*) AS records FROM {{ source('staging', 'mq__log_manager') }}"
    )
    audit = site.published()
    found = of_team(audit)
    assert {name: outcome.observed for name, outcome in found.items()} == {
        "fct_busy_hour": "error",
        "team_findings": "skipped",
        "fct_puts": "error",
        "team_metrics": "passed",
        "no_run_lasts_longer_than_a_day": "warning",
        "runs_are_none": "error",
        "not_null_fct_busy_hour_hour_utc": "error",
        "not_null_fct_busy_hour_busy_percent": "error",
    }
    assert audit.exit_status == 1
    message = found["fct_busy_hour"].message
    assert "lpar_bussy" in message
    assert message.endswith(f"({site.project / 'models/fct_busy_hour.sql'})")
    assert "a build shows the days that changed" in found["fct_puts"].message
    assert found["runs_are_none"].rows_failed == DAYS
    assert site.rows("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'team'") == [
        ("team_metrics",)
    ]
    assert site.rows(FOUND) == [(0,)]
    assert site.rows(MEASURED) == [(DAYS,)]
    assert site.rows("SELECT count(*) FROM marts.fct_run") == [(DAYS,)]


def test_a_project_that_dbt_cannot_read_is_left_out_and_named(site: Site) -> None:
    site.edit("models/team_metrics.sql", "fct_run_total", "fct_no_such_mart")
    audit = site.published()
    (outcome,) = of_team(audit).values()
    assert outcome.observed == "error"
    assert "fct_no_such_mart" in outcome.message
    assert outcome.message.endswith(f"({site.project / 'models/team_metrics.sql'})")
    assert site.rows(MEASURED) == [(0,)]
    assert site.rows("SELECT count(*) FROM marts.fct_run") == [(DAYS,)]


MISTAKES = {
    "fct_lent": ("error", "no_such_column"),
    "fct_mistyped": ("error", "rnu_id"),
    "fct_slow": ("error", "stopped after 3 seconds; PERFHOUSE_TEAM_SECONDS says"),
    "there_are_no_runs": ("error", f"Got {DAYS} results"),
    "rows of team_findings": ("warning", 'no origin; 4: the severity is "critical", not error'),
    "rows of team_metrics": (
        "warning",
        "8: several values for a run; 4: no run is called so; 4: no value; 4: perfhouse has a",
    ),
}


def test_every_mistake_of_a_project_beside_another_is_named_and_costs_only_itself(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFHOUSE_DBT", f"{EXAMPLE}:{ROOT / 'examples' / 'mistakes'}")
    monkeypatch.setenv("PERFHOUSE_TEAM_SECONDS", "3")
    found = of_team(site.published())
    wrong = {name: outcome for name, outcome in found.items() if not outcome.passed}
    assert {name: outcome.observed for name, outcome in wrong.items()} == {
        name: state for name, (state, _) in MISTAKES.items()
    }
    for name, (_, why) in MISTAKES.items():
        assert why in wrong[name].message
    assert site.rows(MEASURED) == [(DAYS,)]
    odd = "FROM marts.fct_data_issue SELECT done, affects, count(*) WHERE kind = 'odd' GROUP BY ALL"
    assert site.rows(odd) == [("don't ask", ["cpu"], DAYS)]
    assert site.rows("SELECT count(*) FROM team.fct_seen") == [(DAYS,)]  # a view, made a table
