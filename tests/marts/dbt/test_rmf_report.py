"""Figures printed by RMF are paired with those of its records, and agree.

The bundled campaign has both: reports for three systems and their sysplex, printed from the data
behind the records and read back by the parser. So each figure reaches its row in two ways.
"""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from duckdb import DuckDBPyConnection

BOTH = """
    SELECT subject_kind, figure, count(recorded) AS recorded, count(*) FILTER (agrees) AS agrees
    FROM marts.fct_rmf_report_figure GROUP BY ALL HAVING count(recorded) > 0
"""


@pytest.fixture(scope="module")
def marts(bundled: Path) -> Iterator[DuckDBPyConnection]:
    with duckdb.connect(str(bundled), read_only=True) as db:
        yield db


@pytest.mark.parametrize(
    ("kind", "figures"),
    [
        ("processor type", {"lpar_busy_percent", "mvs_busy_percent", "io_interrupts_per_second"}),
        (
            "partition",
            {"effective_seconds", "dispatch_seconds", "lpar_busy_percent", "machine_busy_percent"},
        ),
        (
            "volume",
            {
                "requests_per_second",
                "average_response_us",
                "average_ios_queue_us",
                "average_pending_us",
                "average_disconnect_us",
                "average_connect_us",
            },
        ),
        (
            "service class period",
            {
                "tcb_seconds",
                "srb_seconds",
                "ziip_seconds",
                "appl_percent",
                "ziip_appl_percent",
                "ziip_on_cp_appl_percent",
            },
        ),
        ("coupling facility", {"busy_percent"}),
        ("structure requests", {"requests", "average_service_us"}),
    ],
)
def test_printed_figures_agree_with_recorded_ones(
    kind: str, figures: set[str], marts: DuckDBPyConnection
) -> None:
    found = marts.sql(BOTH).filter(f"subject_kind = '{kind}'").fetchall()
    assert {figure for _, figure, _, _ in found} == figures
    assert [row for row in found if row[2] != row[3]] == []


def test_the_time_zone_of_a_report_comes_from_the_records(marts: DuckDBPyConnection) -> None:
    zones = marts.sql(
        "SELECT DISTINCT interval_start_utc - interval_start_local FROM "
        "marts.fct_rmf_report_figure WHERE interval_start_utc IS NOT NULL"
    ).fetchall()
    recorded = marts.sql(
        "SELECT DISTINCT to_minutes(-utc_offset_minutes) FROM marts.fct_volume_interval "
        "SEMI JOIN marts.fct_rmf_report_figure USING (system_id)"
    ).fetchall()
    assert zones == recorded
