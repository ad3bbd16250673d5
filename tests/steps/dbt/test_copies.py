"""Copies of records change no mart, and of records that contradict each other none counts.

Each case is one z/OS image with a queue manager, whose records come in some other way; all of them
are in one warehouse, and their marts have to be those of the plain dump.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import duckdb
import pytest

from app.pipeline import steps
from ingest.lake.warehouse import Warehouse
from models_sim.simulator.mq.samples import write_samples
from models_sim.simulator.zos.write import write_zos_samples
from tests.kit.dumps import content_of
from tests.kit.framings import bare, blocked, framed, read_records

Records = list[bytes]

#: What a mart says of where a row is from, or of loads.
_PLACE = (
    *("source_id", "record_no", "source_records", "task_source_id", "task_record_no"),
    *("system_id", "system", "owner", "source_ids"),
)
_DUMPS = ("zos-SY2", "synthetic_mq_800", "synthetic_mq_1000", "synthetic_ams")
_CODE_PAGE = "cp037"


def _part(records: Records, first: float, last: float) -> bytes:
    """Return the records from one share of a dump to another."""
    return framed(records[int(first * len(records)) : int(last * len(records))])


def _changed(record: bytes) -> bytes:
    """Return the record of another machine: one figure differs."""
    # SMF30CPT; the last figure of other types.
    at = int.from_bytes(record[52:56]) + 3 if record[1] == 30 else len(record) - 1
    return record[:at] + bytes([record[at] ^ 1]) + record[at + 1 :]


def _by_type(records: Records) -> list[bytes]:
    types = sorted({record[1] for record in records})
    return [framed([record for record in records if record[1] == kind]) for kind in types]


#: What is loaded of a case's records.
CASES: dict[str, Callable[[Records], list[bytes]]] = {
    "plain": lambda r: [framed(r)],
    "twice in a file": lambda r: [framed(r + r)],
    "blocks": lambda r: [framed(r), blocked(r, 4096)],
    "segments": lambda r: [framed(r, 200), blocked(r, 60000, extended=True)],
    "bare": lambda r: [bare(r), framed(r)],
    "overlap": lambda r: [_part(r, 0, 0.7), _part(r, 0.3, 1)],
    "torn anywhere": lambda r: [_part(r, 0, 0.55), framed(r)],
    "later first": lambda r: [_part(r, 0.43, 1), _part(r, 0, 0.57)],
    "end again": lambda r: [framed(r + r[len(r) // 3 :])],
    "many": lambda r: [_part(r, n / 7, (n + 3) / 7) for n in range(5)],
    "by type": lambda r: [*_by_type(r), framed(r)],
    "cut short": lambda r: [framed(r)[:-9], framed(r)],
    "other machine": lambda r: [framed(r), framed([_changed(record) for record in r])],
}  # fmt: skip
#: The two systems of a case: of z/OS and of the queue managers.
_SYSTEMS = {case: (f"{n:X}ZOS", f"{n:X}MQ ") for n, case in enumerate(CASES)}


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """The marts of all cases."""
    folder = tmp_path_factory.mktemp("copies")
    samples = [*write_zos_samples(folder, 1)[1:], *write_samples(folder, 1)]
    dumps = [
        (dump, read_records(content_of(dump)))
        for dump in samples
        if dump.name.partition(".")[0] in _DUMPS
    ]
    warehouse = Warehouse(folder / "w.duckdb")
    for case, systems in _SYSTEMS.items():
        for dump, records in dumps:
            system = systems[dump.name.startswith("synthetic")].encode(_CODE_PAGE)
            own = [record[:10] + system + record[14:] for record in records]
            for n, content in enumerate(CASES[case](own)):
                (folder / f"{system.hex()} {dump.name} {n:02}.dump").write_bytes(content)
    steps.ingest_paths(warehouse, sorted(folder.glob("*.dump")))
    steps.build(warehouse)
    with warehouse.open_work() as db:
        yield db


def _differing(db: duckdb.DuckDBPyConnection, case: str) -> list[tuple[str, int, int]]:
    """Return the marts of a case that differ from the plain dump's, with the rows of each."""
    # Each partition of the machine counts in one of the systems' records. Sums differ in the last
    # digits if they are added up in another order.
    tables = db.execute(
        "SELECT table_name, string_agg(if(data_type = 'DOUBLE', "
        "format('format(''{{:.6g}}'', round({}, 6))', column_name), column_name), ', ') "
        "FILTER (column_name NOT IN $1) FROM duckdb_columns() WHERE schema_name = 'marts' "
        "AND database_name = current_database() AND NOT starts_with(table_name, 'dim_') "
        "AND table_name NOT IN ('fct_arrival', 'fct_data_issue', 'fct_lpar_interval') "
        "GROUP BY ALL HAVING bool_or(column_name = 'system_id')",
        [_PLACE],
    ).fetchall()
    assert len(tables) > 30
    differing = []
    for mart, columns in tables:
        own, plain = (
            f"SELECT {columns} FROM marts.{mart} WHERE rtrim(system_id) IN "
            f"({', '.join(repr(system.rstrip()) for system in _SYSTEMS[name])})"
            for name in (case, "plain")
        )
        ((more, less),) = db.execute(
            f"SELECT (SELECT count(*) FROM ({own} EXCEPT ALL {plain})), "
            f"(SELECT count(*) FROM ({plain} EXCEPT ALL {own}))"
        ).fetchall()
        differing += [(mart, more, less)] * bool(more or less)
    return differing


@pytest.mark.parametrize("case", [case for case in CASES if case not in ("plain", "other machine")])
def test_records_count_once_however_they_come(marts: duckdb.DuckDBPyConnection, case: str) -> None:
    differing = _differing(marts, case)
    if case == "cut short":  # which record is damaged cannot be known
        assert differing.pop(0)[0] == "fct_completeness"
    assert differing == []


def test_of_two_machines_with_systems_of_the_same_names_neither_counts(
    marts: duckdb.DuckDBPyConnection,
) -> None:
    systems = [system.rstrip() for system in _SYSTEMS["other machine"]]
    rows = {
        mart: marts.execute(
            f"SELECT count(*) FROM marts.{mart} WHERE list_contains($1, system_id)", [systems]
        ).fetchall()[0][0]
        for mart in (
            "fct_cpu_reconciliation", "fct_address_space_interval", "fct_processor_interval",
            "fct_queue_manager_interval", "fct_hardware_interval", "fct_cf_interval",
        )
    }  # fmt: skip
    assert set(rows.values()) == {0}, rows
    findings = marts.execute(
        "SELECT system_id = $1[1] AS is_zos, string_agg(DISTINCT substr(subject, 6), ' ' "
        "ORDER BY substr(subject, 6)) FROM marts.fct_data_issue "
        "WHERE kind = 'contradicting_records' AND severity = 'error' "
        "AND regexp_matches(found, 'dump and record .*dump') "
        "AND list_contains($1, system_id) GROUP BY ALL ORDER BY 1",
        [systems],
    ).fetchall()
    assert findings == [
        (False, "115-1 115-2 115-201 115-215 115-216 115-231 115-7"),
        (True, "113-1 113-2 30-2 30-3 30-6 70-1 70-2 72-3 74-1 74-4"),
    ]
    others = marts.execute(
        "SELECT DISTINCT system_id FROM marts.fct_data_issue WHERE kind = 'contradicting_records' "
        "AND NOT list_contains($1, system_id)",
        [systems],
    ).fetchall()
    assert others == []
