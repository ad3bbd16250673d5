"""Copies of records change no mart, and of records that contradict each other none counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from app.pipeline import steps
from ingest.lake.warehouse import Warehouse
from models_sim.simulator.mq.samples import write_samples
from models_sim.simulator.zos.write import write_zos_samples
from tests.kit.dumps import content_of

#: What a mart says of where a row is from, or of loads.
_OF_LOADS = ("dim_load", "fct_arrival", "fct_data_issue", "fct_pipeline_day", "fct_pipeline_step")
_PLACE = ("source_id", "record_no", "source_records", "task_source_id", "task_record_no")


def _records(dump: bytes) -> list[bytes]:
    """Split a dump at its record descriptor words."""
    records, at = [], 0
    while at < len(dump):
        length = int.from_bytes(dump[at : at + 2])
        records.append(dump[at : at + length])
        at += length
    return records


def _pause(records: list[bytes], after: int) -> int:
    """Return where, after some records, none was written for seconds: no interval is torn apart."""
    hundredths = [int.from_bytes(record[6:10]) for record in records]
    return next(i for i in range(after, len(records)) if hundredths[i] - hundredths[i - 1] > 500)


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[bytes]]:
    """Records of all types, by file."""
    folder = tmp_path_factory.mktemp("dumps")
    dumps = [*write_zos_samples(folder, 1)[1:], *write_samples(folder, 1)]
    return {
        dump.name.partition(".")[0]: _records(content_of(dump))
        for dump in dumps
        if dump.name != "synthetic_mq_935.smf"  # has blocks
    }


@pytest.fixture(scope="module")
def built(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[Mapping[str, list[bytes]]], Warehouse]:
    """Loads files and builds their marts."""

    def built(files: Mapping[str, list[bytes]]) -> Warehouse:
        folder = tmp_path_factory.mktemp("copies")
        for name, records in files.items():
            (folder / f"{name}.smf").write_bytes(b"".join(records))
        warehouse = Warehouse(folder / "w.duckdb")
        steps.ingest_paths(warehouse, sorted(folder.glob("*.smf")))
        steps.build(warehouse)
        return warehouse

    return built


@pytest.fixture(scope="module")
def once(
    contents: dict[str, list[bytes]], built: Callable[[Mapping[str, list[bytes]]], Warehouse]
) -> Warehouse:
    return built(contents)


def _differing(ours: Warehouse, theirs: Warehouse) -> list[str]:
    """Return the marts of records whose rows differ in more than the record that they are from."""
    with ours.open_work() as db:
        db.execute(f"ATTACH '{theirs.work}' AS theirs (READ_ONLY)")
        # Sums differ in the last digits if they are added up in another order.
        marts = db.execute(
            "SELECT table_name, string_agg(if(data_type = 'DOUBLE', "
            "format('format(''{{:.6g}}'', round({}, 6))', column_name), column_name), ', ') "
            "FROM duckdb_columns() WHERE schema_name = 'marts' "
            "AND database_name = current_database() AND column_name NOT IN $1 "
            "AND table_name NOT IN $2 GROUP BY ALL",
            [_PLACE, _OF_LOADS],
        ).fetchall()
        differing = []
        for mart, columns in marts:
            own, other = (f"SELECT {columns} FROM {of}marts.{mart}" for of in ("", "theirs."))
            ((count,),) = db.execute(
                f"SELECT (SELECT count(*) FROM ({own} EXCEPT ALL {other})) "
                f"+ (SELECT count(*) FROM ({other} EXCEPT ALL {own}))"
            ).fetchall()
            differing += [mart] * bool(count)
    assert len(marts) > 70
    return differing


def test_a_dump_that_is_in_a_file_twice_and_in_parts_in_other_files_counts_once(
    contents: dict[str, list[bytes]],
    once: Warehouse,
    built: Callable[[Mapping[str, list[bytes]]], Warehouse],
) -> None:
    files = {}
    for name, records in contents.items():
        first, second = _pause(records, len(records) // 3), _pause(records, len(records) // 2)
        files |= {
            f"{name}-1": records[:second],
            f"{name}-2": records + records,
            f"{name}-3": records[first:],
        }
    copied = built(files)
    assert _differing(copied, once) == []
    with copied.open_work() as db:
        types = db.execute(
            "SELECT list(DISTINCT record_type ORDER BY record_type) FROM staging.stg_lake__copy"
        ).fetchall()
    assert types == [([30, 42, 70, 72, 74, 113, 115, 116, 180],)]


def test_of_two_machines_with_systems_of_the_same_names_neither_counts(
    contents: dict[str, list[bytes]],
    built: Callable[[Mapping[str, list[bytes]]], Warehouse],
) -> None:
    """The records of the second are those of the first with other CPU times."""
    first = [r for r in contents["zos-SY2"] if r[5] in (70, 72)]
    second = [r[:-1] + bytes([r[-1] ^ 1]) for r in first]
    warehouse = built({"a": first, "b": second})
    with warehouse.open_work() as db:
        ((rows,),) = db.execute("SELECT count(*) FROM marts.fct_cpu_reconciliation").fetchall()
        findings = db.execute(
            "SELECT subject, severity, found LIKE '%a.smf and record%b.smf' "
            "FROM marts.fct_data_issue WHERE kind = 'contradicting_intervals' "
            "GROUP BY ALL ORDER BY 1"
        ).fetchall()
    assert rows == 0
    assert findings == [
        ("type 70-1", "error", True), ("type 70-2", "error", True), ("type 72-3", "error", True),
    ]  # fmt: skip
