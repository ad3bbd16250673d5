"""Three figures of the bundled data, each followed to its file and to what its record says."""

import struct
from pathlib import Path

import duckdb
import polars as pl
import pytest

import perfhouse
from app.results.queries import catalogue, lineage
from app.results.reader import Reader

MB, GB = 1 << 20, 1 << 30
RUN = "smoke-20260112T140500"


@pytest.fixture(scope="module")
def reader(bundled):
    return Reader(bundled)


def figure_of(reader, metric):
    figures = lineage.figure(reader, RUN)
    return figures.row(by_predicate=pl.col("metric") == metric, named=True)


def file_of(reader, source):
    return Path(lineage.loads(reader, (source,))["path"].item())


def bytes_of(reader, source, number):
    """Return a record as its file has it, found by the offset that the page shows."""
    place = lineage.record(reader, source, number)
    with file_of(reader, source).open("rb") as dump:
        dump.seek(place["file_offset"])
        return dump.read(place["length"])


def test_rate_comes_from_the_messages_of_the_transfer_log(reader):
    run, rate = lineage.run(reader, RUN), figure_of(reader, "rate")
    assert rate["formula"] == "bytes / 1048576 / transfer_time"
    moved = lineage.transfers(reader, tuple(run["source_ids"]), run["start_utc"], run["stop_utc"])
    done = moved.filter(moved["action"] == "completed").row(-1, named=True)
    source, number = done["source_id"], done["record_no"]
    seconds = (done["time_utc"] - done["actual_start_utc"]).total_seconds()
    sizes = lineage.raw_rows(reader, "bench_mft_item", source, number)["source_bytes"]
    moved_bytes = sizes.cast(pl.Int64).sum()
    assert rate["value"] == pytest.approx(moved_bytes / MB / seconds)

    written = perfhouse.decode(file_of(reader, source))
    own = written["bench_mft_transfer"].row(by_predicate=pl.col("record_no") == number, named=True)
    assert own["transfer_id"] == done["transfer_id"]
    items = written["bench_mft_item"].filter(pl.col("record_no") == number)
    assert items["source_bytes"].sum() == moved_bytes


def test_cost_per_gb_comes_from_the_processors_of_each_system(reader):
    run, cost = lineage.run(reader, RUN), figure_of(reader, "cost_per_GB")
    used = reader.frame("from marts.fct_run_system where run_id = ?", (RUN,))["cpu_seconds"].sum()
    size = figure_of(reader, "bytes")["value"]
    assert cost["value"] == pytest.approx(used / (size / GB))

    records = lineage.records_of_run(reader, RUN, ("SMF 70-1",))
    processors = records.filter(records["kind"] == "SMF 70-1")
    assert set(processors["system_id"]) == {"MVS1", "MVS2", "MVS3"}
    for row in processors.iter_rows(named=True):
        assert row["start_utc"] < run["stop_utc"]
        assert row["end_utc"] > run["start_utc"]
        record = bytes_of(reader, row["source_id"], row["record_no"])
        (subtype,) = struct.unpack_from(">H", record, 22)
        assert (record[5], subtype) == (70, 1)
        assert record[14:18].decode("cp037") == row["system_id"]
    shown = lineage.raw_rows(
        reader, "smf70_1_prsm_logical_processor", row["source_id"], row["record_no"]
    )
    alone = perfhouse.decode(record)["smf70_1_prsm_logical_processor"]
    assert shown.height == alone.height > 0
    assert [int(count) for count in shown["smf70vpa"]] == alone["smf70vpa"].to_list()


def test_an_mq_statistic_is_what_the_record_says(reader, bundled):
    with duckdb.connect(str(bundled), read_only=True) as db:
        source, number, puts = db.execute(
            "select source_id, record_no, puts from marts.fct_queue_manager_interval"
            " where puts > 0 order by queue_manager, interval_start_utc limit 1"
        ).fetchone()
    row = lineage.mart_row(reader, "fct_queue_manager_interval", source, number)
    assert row["puts"].to_list() == [str(puts)]
    behind = lineage.records_of_row(reader, "fct_queue_manager_interval", source, number)
    (source, number), = (
        place for place in behind.iter_rows()
        if lineage.raw_rows(reader, "smf115_qmst", *place).height
    )  # fmt: skip
    record = bytes_of(reader, source, number)
    assert record[5] == 115
    begin = record.index("QMST".encode("cp037")) - 4  # after identifier and length
    assert struct.unpack_from(">I", record, begin + 20) == (puts,)
    assert lineage.raw_rows(reader, "smf115_qmst", source, number)["qmstput"].item() == str(puts)


def test_a_published_figure_leads_to_its_line(reader):
    source, number = lineage.cell_record(reader, 4)
    shown = lineage.raw_rows(reader, "published_cell", source, number)
    line = file_of(reader, source).read_text(encoding="utf-8").splitlines()[number]
    assert shown["printed"].item() in line
    assert lineage.cell_record(reader, 10**9) is None


def test_every_mart_is_made_of_tables_that_are_listed(reader):
    known = lineage.models(reader)
    parents = dict(known.select("name", "parents").iter_rows())
    marts = catalogue.tables(reader).filter(schema="marts")["name"]
    assert {f"marts.{mart}" for mart in marts} <= parents.keys()
    assert {parent for read in parents.values() for parent in read} <= parents.keys()
    sources = {name for name, kind in known.select("name", "kind").iter_rows() if kind == "source"}
    assert {"raw.smf115_qmst", "raw.smf70_1_prsm_logical_processor"} <= sources
    assert all(not parents[name] for name in sources)
    assert all(parents[f"marts.{mart}"] for mart in marts)
    assert known["description"].null_count() == 0
