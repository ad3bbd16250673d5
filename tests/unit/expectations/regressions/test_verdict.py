"""The verdicts of Great Expectations on open regressions, and the audit's page."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

from expectations.limits import read_limits
from expectations.outcome import AuditResult, ExpectationOutcome
from expectations.page import write_page
from expectations.regressions.judge import judge_build
from expectations.regressions.store import read_current, write_events, write_schema
from expectations.regressions.suite import subjects
from ingest.lake.warehouse import Warehouse
from tests.kit.nights import build


def slower(configuration: str, metric: str, space: str | None, night: int) -> float:
    return 1.3 if space == "CHIN" and night >= 30 else 1.0


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """Return a judged working database of forty nights; CHIN is slower from the thirtieth on."""
    made = Warehouse(tmp_path_factory.mktemp("verdict") / "w.duckdb")
    made.lake.mkdir()
    write_schema(made.regressions)
    with build(40, slower) as nights, made.open_work() as db:
        db.execute("CREATE SCHEMA marts")
        for table in (
            *("dim_configuration", "fct_run", "fct_measurement", "fct_run_part"),
            *("fct_system_measurement", "fct_address_space_measurement", "fct_run_session"),
        ):
            db.register("rows", nights.sql(f"FROM marts.{table}").pl().to_arrow())
            db.execute(f"CREATE TABLE marts.{table} AS FROM rows")
            db.unregister("rows")
        judge_build(db, made.regressions, "b40", read_limits())
    return made


def verdicts(warehouse: Warehouse) -> dict[str, ExpectationOutcome]:
    from expectations.gx.auditor import Auditor

    with duckdb.connect(str(warehouse.work), read_only=True) as db:
        judged = subjects(db)
    with Auditor(warehouse.work) as auditor:
        outcomes = auditor.judge_regressions(judged)
    return {outcome.expectation: outcome for outcome in outcomes}


def test_open_regression_fails_its_campaign_until_it_is_accepted(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    outcomes = verdicts(warehouse)
    subjects_of = ("performance", "suspicion", "data", "model")
    assert set(outcomes) == {f"nightly: {subject}" for subject in subjects_of}
    worse = outcomes["nightly: performance"]
    assert (worse.passed, worse.severity, worse.suite) == (False, "error", "regressions")
    (leader,) = [row for row in read_current(warehouse.regressions) if row["leads"]]
    assert leader["message"] in worse.message
    assert "[and 3 more series]" in worse.message
    assert (worse.rows_failed, worse.rows_total) == (4, 8)
    assert outcomes["nightly: data"].passed
    assert outcomes["nightly: model"].severity == "warning"

    result = AuditResult("c", "b40", tuple(outcomes.values()))
    assert result.publishable  # regressions do not prevent publishing
    assert result.regressions == (worse,)

    page = write_page(result, tmp_path).read_text()
    assert '<h2 id="regressions">' in page
    assert leader["onset_run_id"] in page
    assert worse.expected in page
    assert not re.search(r"<(link|script|img|iframe)\b|@import|url\(['\"]?http", page)  # offline

    rows = read_current(warehouse.regressions)
    write_events([{**row, "state": "acknowledged", "by": "me"} for row in rows],
                 warehouse.regressions)  # fmt: skip
    assert all(outcome.passed for outcome in verdicts(warehouse).values())


def test_the_headline_names_first_what_costs_most(warehouse: Warehouse) -> None:
    known = read_current(warehouse.regressions)
    told = [
        # group, state, configuration, lost, message
        ("a", "confirmed", "c1", 3.0, "once three"),
        ("b", "new", "c1", 2.0, "twice two, four fifths sure"),
        ("b", "new", "c2", 2.0, ""),
        ("c", "confirmed", "c1", 2.5, "twice in one configuration"),
        ("c", "confirmed", "c1", 2.5, ""),
        ("d", "suspected", "c1", 9.0, "a suspicion"),
        ("e", "fixed", "c1", 50.0, "over"),
    ]
    events = [
        {**known[0], "regression_id": f"{group}.{number}", "group_id": group, "state": state,
         "configuration_id": one, "lost_percent": lost, "message": message, "leads": bool(message)}
        for number, (group, state, one, lost, message) in enumerate(told)
    ]  # fmt: skip
    closed = [{**row, "state": "fixed"} for row in known]
    write_events([*closed, *events], warehouse.regressions)
    outcomes = verdicts(warehouse)
    said = outcomes["nightly: performance"].message
    assert [m for *_, m in told if m and m in said] == ["twice two, four fifths sure"]
    assert "a suspicion" in outcomes["nightly: suspicion"].message
