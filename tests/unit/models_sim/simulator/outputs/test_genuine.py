"""Genuine outputs that are read, written and read again: the same rows, in the form of the tool."""

import polars as pl
import pytest

from ingest.formats import published
from ingest.formats.parsers import PARSERS, find_parser
from models_sim.simulator.outputs import KINDS, write_output
from tests.kit import bench_excerpts as bench
from tests.kit import rmf_excerpts as rmf

FILES = {name: bench.content(name) for name in bench.EXCERPTS} | {
    name: (rmf.FOLDER / name).read_bytes() for name in rmf.EXCERPTS
}


def read(content):
    parser, kind = find_parser(content)
    parsed = parser.parse(content)
    assert parsed.kind == kind
    return parsed


def without_lines(tables):
    """The rows without their line number, which the writer may choose."""
    return {name: frame.drop("record_no") for name, frame in tables.items()}


#: Error messages and empty reports have no rows to write.
WITH_ROWS = [name for name, content in FILES.items() if read(content).tables]


@pytest.mark.parametrize("name", WITH_ROWS)
def test_genuine_output_survives_the_round_trip(name):
    genuine = read(FILES[name])
    again = read(write_output(genuine.kind, genuine.tables))
    assert again.kind == genuine.kind
    assert again.rejected == []
    expected, found = without_lines(genuine.tables), without_lines(again.tables)
    assert found.keys() == expected.keys()
    for table, frame in expected.items():
        assert found[table].rows() == frame.rows()


def exchanged(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows with the figures of each column in reverse order."""
    changed = {}
    for column in frame.select(pl.col(pl.Float64).exclude("pav_number", "weight")):
        figures = iter(column.drop_nulls().reverse().to_list())
        changed[column.name] = [f if f is None else next(figures) for f in column]
    return frame.with_columns(pl.Series(n, of, dtype=pl.Float64) for n, of in changed.items())


@pytest.mark.parametrize("name", [n for n in WITH_ROWS if n in rmf.EXCERPTS and n.endswith(".txt")])
def test_figures_of_rmf_may_stand_in_any_row(name):
    tables = {table: exchanged(frame) for table, frame in read(FILES[name]).tables.items()}
    kinds = ["rmf_text", "rmf_xml"] if "rmf_cpu" in tables else ["rmf_text"]
    for kind in kinds:
        if kind == "rmf_xml":
            release = pl.lit("z/OS V2R5").alias("zos_version")
            tables = {table: frame.with_columns(release) for table, frame in tables.items()}
        again = read(write_output(kind, tables))
        assert (again.kind, again.rejected) == (kind, [])
        expected, found = without_lines(tables), without_lines(again.tables)
        for table, frame in expected.items():
            assert found[table].rows() == frame.rows(), (kind, table)


def test_every_parsed_text_can_be_written():
    kinds = {find_parser(content)[1] for content in FILES.values()}
    own = {"run_manifest", "measurements_csv", "measurements_json"}  # the project's own formats
    assert kinds | own == set(KINDS)
    assert {find_parser(content)[0] for content in FILES.values()} | {
        parser
        for parser in PARSERS
        if parser.__name__.endswith(("manifest", "measurements", "outcome"))  # others' too
    } == set(PARSERS) - {published}


def test_unknown_kind_is_refused():
    with pytest.raises(KeyError):
        write_output("nonsense", {})


#: Lines printed by the tools that are written again unchanged, except blanks between columns.
LINES = [
    ("amqsrua_document.txt", "Log - physical bytes written 703823872 35840850/sec"),
    ("amqsrua_queue.txt", "PERF.Q1 lock contention 1.25%"),
    ("cf_lock.txt", "COUPLING FACILITY NAME = X7CFP87"),
    ("cf_lock.txt", "STRUCTURE NAME = DSNDB0A_LOCK1 TYPE = LOCK"),
    ("cph.txt", "id=0,rate=2401.50,threads=2"),
    ("cpu_v2r1_mt.txt", "5 IIP 100.00 0.94 0.94 0.00 7.91 0.07 27.3 HIGH"),
    ("cpu_v2r4_ziip.txt", "3 IIP 100.00 6.85 5.70 0.00 -----"),
    ("cpu_v2r4_ziip.txt", "*PHYSICAL* 00.00.07.843 0.07 0.07"),
    ("crypto.txt", "CEX6C 0 12.50 0.800 1.0 0.25"),
    ("docker_df_negative.txt", "Images 1 1 110.4MB -2.887e+07B (-26%)"),
    ("docker_stats_2015.txt", "CONTAINER CPU % MEM USAGE/LIMIT MEM % NET I/O"),
    ("docker_df.txt", "Images 6 2 62.23GB 30.98GB (49%)"),
    ("free_old.txt", "-/+ buffers/cache: 18M 214M"),
    ("free.txt", "Mem: 23Gi 1.5Gi 20Gi 8.6Mi 1.6Gi 22Gi"),
    ("ioping.txt", "4 requests completed in 1.13 ms, 16 KiB read, 3.54 k iops, 13.8 MiB/s"),
    ("ioping_raw.txt", "4 190710 20974 85910545 40802 47678 51469 4236 5 326953"),
    ("jms_harness.txt", "totalIterations=63960,avgDuration=60.09,totalRate=1064.40"),
    ("mft_single.xml", '<stats bytes="1198" seconds="0.018" currentItem="1" totalItems="1"/>'),
    ("mqsc_chstatus.txt", "BYTSRCVD(13268) BYTSSENT(3472472)"),
    ("mqsc_zos_chinit.txt", "CSQX831I !MQ1 CSQXRDQM 8 adapter subtasks started, 8 requested"),
    ("syslog_csm.txt", "IVT5538I FIXED MAXIMUM = 240M FIXED CURRENT = 42537K"),
    ("top.txt", "28286 root 39 19 2881516 259628 134872 R 41.6 1.1 10:11.01 python"),
    ("workload_rcper.txt", "AVG 1.00 ACTUAL 0 TOTAL 66.25 64.20 173.99 AVG ENC 0.00"),
]  # fmt: skip


def lines(content):
    return {" ".join(line.split()) for line in content.decode().splitlines()}


def test_lines_have_the_form_of_the_tool():
    for name, line in LINES:
        parsed = read(FILES[name])
        assert line in lines(FILES[name])
        assert line in lines(write_output(parsed.kind, parsed.tables)), name
