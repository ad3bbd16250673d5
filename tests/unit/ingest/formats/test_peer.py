"""Every value that an independent formatter prints for the real dumps is found in raw.*.

No heading is left out. One is compared only in part: the task's correlator, whose first half is a
clock that raw.* holds to the microsecond.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from ingest.lake.warehouse import Warehouse
from ingest.load import load_file
from scripts import evidence
from tests.kit import peer

DUMPS = ("TEST115", "TEST116", "TESTCHL")
MAP = evidence.read_map()
NOT_PRINTED = {
    "smf_record": "the header of any record",
    "smf_opaque": "sections without a documented layout",
    "smf115_header": "printed in part in every file",
    "smf116_header": "printed in part in every file",
    "smf115_qwhs": "printed in part in every file of SMF 115",
    "smf116_qwhs": "not printed",
    "smf116_qwhc": "printed with QMAC",
    "smf116_qwac": "not printed",
    "smf115_qct_dns": "printed only when the task did something",
}


@pytest.fixture(scope="module")
def loaded(
    samples: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[duckdb.DuckDBPyConnection, dict[str, str]]]:
    """The three dumps in a warehouse: a connection, and the source_id of each dump."""
    warehouse = Warehouse(tmp_path_factory.mktemp("peer") / "warehouse.duckdb")
    warehouse.create()
    loads = {d: load_file(warehouse, samples / "mq-smf" / f"{d}.dat") for d in DUMPS}
    assert {load.status for load in loads.values()} == {"loaded"}
    with warehouse.connect() as db:
        yield db, {dump: load.source_id for dump, load in loads.items()}


def files(samples: Path) -> dict[tuple[str, str], Path]:
    """(dump, section) -> file of the formatter."""
    found = (samples / "peer-csv").glob("*/SMF-*.csv")
    return {(p.parent.name, p.stem.removeprefix("SMF-")): p for p in found}


def test_every_heading_is_mapped_and_every_mapped_heading_is_printed(samples: Path) -> None:
    printed: dict[str, set[str]] = {}
    for (_dump, section), path in files(samples).items():
        printed.setdefault(section, set()).update(peer.read_printed(path)[0])
    mapped = {s: [h for m in mapping for h in m.headings] for s, mapping in MAP.items()}
    assert {s: sorted(heads) for s, heads in printed.items()} == {
        s: sorted(heads) for s, heads in mapped.items()
    }
    assert {m.form for mapping in MAP.values() for m in mapping} == set(peer.AGREE)


@pytest.mark.parametrize("section", MAP)
def test_every_value_is_found_in_the_same_row(
    section: str, samples: Path, loaded: tuple[duckdb.DuckDBPyConnection, dict[str, str]]
) -> None:
    db, source_ids = loaded
    mapping, compared = MAP[section], 0
    for dump, source_id in source_ids.items():
        path = files(samples).get((dump, section))
        lines = peer.read_printed(path) if path else []
        rows = peer.read_held(db, source_id, section, mapping)
        assert len(rows) == len(lines), f"{dump}: rows of {evidence.table_of(section)}"
        for number, (line, row) in enumerate(zip(lines, rows, strict=True), 1):
            for mapped, value in zip(mapping, row, strict=True):
                cells = [line[h] for h in mapped.headings]
                compared += len(cells)
                assert peer.AGREE[mapped.form](cells, value), (
                    f"{dump} row {number}: {mapped.headings} is {cells}, "
                    f"{mapped.column} is {value!r}"
                )
    assert compared


def test_tables_that_the_formatter_does_not_print_are_known(
    samples: Path, loaded: tuple[duckdb.DuckDBPyConnection, dict[str, str]]
) -> None:
    db, _ = loaded
    tables = [
        name
        for (name,) in db.execute(
            "SELECT view_name FROM duckdb_views() WHERE schema_name = 'raw'"
        ).fetchall()
        if name.startswith("smf") and db.execute(f"SELECT 1 FROM raw.{name} LIMIT 1").fetchone()
    ]
    assert set(tables) - {evidence.table_of(s) for s in MAP} == set(NOT_PRINTED)
