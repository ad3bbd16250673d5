"""The figures in docs/cpu-by-hand.md follow from the records and equal those of the marts."""

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from duckdb import DuckDBPyConnection

from app.pipeline.places import ROOT

HOUR = "{} >= TIMESTAMP '2024-02-29 {}:30' AND {} < TIMESTAMP '2024-02-29 {}:30'"
LOCAL = HOUR.format("smf{0}dat + smf{0}ist", "08", "smf{0}dat + smf{0}ist", "09")
UTC = HOUR.format("{0}", "13", "{0}", "14")
SUMS = ("ccpu", "csrb", "csup", "csuc", "crct", "ciit", "chst", "crcp")
FACTORS = ("madj", "mcpu", "msrb", "nffs")


# SY1's partition is the first in its records, with six logical processors; kind 1 is CP.
# Records of type 30 end within milliseconds of the quarter hour. Those of subtype 6 (system address
# spaces) count since IPL, so the hour's figure is the last one in the hour minus the previous one.
IN_RAW = {
    "70.1": f"""
        SELECT sum(epoch(smf70edt)) FROM raw.smf70_1_prsm_logical_processor AS processor
        JOIN raw.smf70_1_product USING (source_id, record_no)
        WHERE smf70snm = 'SY1' AND smf70cix = 1 AND processor.section_no <= 6
            AND {LOCAL.format(70)}
    """,
    "72.3": f"""
        SELECT sum(
            (r723ccpu - r723csup * r723nffs / 256) * r723madj / (1600 * r723mcpu)
            + r723csrb * r723madj / (1600 * r723msrb) + (r723crct + r723ciit + r723chst) / 1e6
        )
        FROM raw.smf72_3_service_report_class_period AS period
        -- One record here is split, and its second part has no control section.
        JOIN (
            SELECT p.record_no, c.* EXCLUDE (record_no)
            FROM raw.smf72_3_product AS p
            ASOF JOIN raw.smf72_3_workload_manager_control AS c
                ON p.source_id = c.source_id AND p.record_no >= c.record_no
        ) AS control ON period.source_id = control.source_id
            AND period.record_no = control.record_no
        JOIN raw.smf72_3_product AS product
            ON product.source_id = period.source_id AND product.record_no = period.record_no
        WHERE NOT r723mrcl AND smf72snm = 'SY1' AND {LOCAL.format(72)}
    """,
    "30": """
        WITH used AS (
            SELECT smf30stp, smf30jbn, smf30iet, epoch(smf30cpt + smf30cps + smf30icu + smf30isb
                + smf30iip + smf30rct + smf30hpt) AS seconds
            FROM raw.smf30_processor_accounting
            JOIN raw.smf30_identification USING (source_id, record_no)
            JOIN raw.smf30_header USING (source_id, record_no)
            WHERE smf30sid = 'SY1' AND smf30iet < TIMESTAMP '2024-02-29 14:30:10'
        ),
        growth AS (
            SELECT max(seconds)
                - max(seconds) FILTER (WHERE smf30iet < TIMESTAMP '2024-02-29 13:30:10') AS seconds
            FROM used WHERE smf30stp = 6 GROUP BY smf30jbn
        )
        SELECT (SELECT sum(seconds) FROM growth) + (
            SELECT sum(seconds) FROM used
            WHERE smf30stp IN (2, 3) AND smf30iet > TIMESTAMP '2024-02-29 13:30:10'
        )
    """,
}


@pytest.fixture(scope="module")
def note() -> dict[str, list[str]]:
    """Return the rows of the note's tables: first cell -> other cells."""
    rows: dict[str, list[str]] = {}
    for line in (ROOT / "docs/cpu-by-hand.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and not set(line) <= set("|-:"):
            assert cells[0] not in rows or cells[0] == "field"
            rows[cells[0]] = cells[1:]
    return rows


@pytest.fixture(scope="module")
def db(bundled: Path) -> Iterator[DuckDBPyConnection]:
    with duckdb.connect(str(bundled), read_only=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def fields(db: DuckDBPyConnection) -> dict[str, float]:
    """Return the fields of the class's records, summed over the hour, and the factors."""
    columns = [f"sum(r723{f})" for f in SUMS] + [f"max(r723{f})" for f in FACTORS]
    row = db.execute(
        f"SELECT count(DISTINCT record_no), {', '.join(columns)} "
        "FROM raw.smf72_3_service_report_class_period "
        "JOIN raw.smf72_3_workload_manager_control USING (source_id, record_no) "
        "JOIN raw.smf72_3_product USING (source_id, record_no) "
        f"WHERE r723mrcl AND r723mcnm = 'RCICS' AND smf72snm = 'SY1' AND {LOCAL.format(72)}"
    ).fetchone()
    assert row
    assert row[0] == 4
    return dict(zip((*SUMS, *FACTORS), map(float, row[1:]), strict=True))


def number(cell: str) -> tuple[str, int]:
    """Return the digits of a cell without its unit, and the number of decimal places."""
    found = re.fullmatch(r"(-?[\d,]+(?:\.(\d+))?)(?: (?:s|us|%))?", cell)
    assert found, cell
    return found[1].replace(",", ""), len(found[2] or "")


def is_printed(cell: str, value: float) -> bool:
    """Return whether the cell shows this value, rounded to its digits."""
    digits, places = number(cell)
    return f"{value:.{places}f}" == digits


def by_hand(f: dict[str, float]) -> dict[str, float]:
    """Return the note's figures, computed with its own formulas."""
    cpu = f["ccpu"] * f["madj"] / (1600 * f["mcpu"])
    ziip = f["csup"] * f["madj"] / (1600 * f["mcpu"])
    equivalent = ziip * f["nffs"] / 256
    srb = f["csrb"] * f["madj"] / (1600 * f["msrb"])
    on_cp = f["csuc"] * f["madj"] / (1600 * f["mcpu"])
    general = cpu - equivalent + srb + (f["crct"] + f["ciit"] + f["chst"]) / 1e6
    return {
        "CPU service": cpu,
        "zIIP, as measured": ziip,
        "zIIP, at CP speed": equivalent,
        "tasks on CPs": cpu - equivalent,
        "SRBs": srb,
        "general-purpose": general,
        "zIIP-eligible on CPs": on_cp,
        "zIIP-eligible": 100 * (equivalent + on_cp) / (general + equivalent),
        "cost, all CPU": 1e6 * (general + equivalent) / f["crcp"],
        "cost, general-purpose": 1e6 * general / f["crcp"],
    }


def seconds_in_raw(db: DuckDBPyConnection, record: str) -> float:
    """Return SY1's CPU seconds on general-purpose processors in the hour, from the raw fields."""
    row = db.execute(IN_RAW[record]).fetchone()
    assert row
    return float(row[0])


def test_the_note_shows_the_fields_of_the_records(
    note: dict[str, list[str]], fields: dict[str, float]
) -> None:
    wrong = {f: v for f, v in fields.items() if not is_printed(note[f"R723{f.upper()}"][1], v)}
    assert not wrong


def test_the_calculations_in_the_note_are_right(
    note: dict[str, list[str]], fields: dict[str, float]
) -> None:
    wrong = {k: v for k, v in by_hand(fields).items() if not is_printed(note[k][1], v)}
    assert not wrong


def test_the_mart_has_the_figures_of_the_note(
    note: dict[str, list[str]], db: DuckDBPyConnection
) -> None:
    shown = {
        "zIIP, as measured": "sum(ziip_seconds)",
        "zIIP, at CP speed": "sum(ziip_cp_equivalent_seconds)",
        "tasks on CPs": "sum(tcb_seconds)",
        "SRBs": "sum(srb_seconds)",
        "general-purpose": "sum(general_purpose_seconds)",
        "zIIP-eligible on CPs": "sum(ziip_on_cp_seconds)",
        "zIIP-eligible": "100 * sum(eligible_seconds) / sum(cpu_seconds)",
        "cost, all CPU": "1e6 * sum(cpu_seconds) / sum(transactions)",
        "cost, general-purpose": "1e6 * sum(general_purpose_seconds) / sum(transactions)",
    }
    row = db.execute(
        f"SELECT {', '.join(shown.values())} FROM marts.fct_report_class_interval "
        f"WHERE system_id = 'SY1' AND report_class = 'RCICS' AND {UTC.format('interval_start_utc')}"
    ).fetchone()
    assert row
    wrong = {k: v for k, v in zip(shown, row, strict=True) if not is_printed(note[k][2], float(v))}
    assert not wrong


def test_the_three_records_agree_as_the_note_says(
    note: dict[str, list[str]], db: DuckDBPyConnection
) -> None:
    row = db.execute(
        "SELECT sum(processor_seconds), sum(class_seconds), sum(address_space_seconds) "
        "FROM marts.fct_cpu_reconciliation WHERE system_id = 'SY1' AND processor_type = 'CP' "
        f"AND {UTC.format('interval_start_utc')}"
    ).fetchone()
    assert row
    dispatched, charged, used = row
    for record, mart in (("70.1", dispatched), ("72.3", charged), ("30", used)):
        assert is_printed(note[record][1], seconds_in_raw(db, record))
        assert is_printed(note[record][2], mart)
    text = (ROOT / "docs/cpu-by-hand.md").read_text()
    assert f"{100 * charged / dispatched:.2f} % is charged" in text
    assert f"by {used - charged:.3f} s, because it" in text
