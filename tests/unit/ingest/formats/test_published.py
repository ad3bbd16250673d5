"""The parser of published figures, and rules for the tables in the repository."""

import csv
import io
import os
import re
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from app.pipeline.places import ROOT
from ingest.formats.published import (
    COLUMN_DOCS,
    KINDS,
    SCHEMAS,
    TABLES,
    anomaly_ids,
    parse,
    recognise,
)
from tests.kit.cases import cases

PUBLISHED = ROOT / "data" / "published"
FILES = {
    "published_cells": "cells.csv",
    "published_claims": "claims.csv",
    "published_anomalies": "anomalies.csv",
    "published_documents": "documents.csv",
}
BUILDS = b"""build,parent,committed_at
4e1f2ab9c0,,2026-03-01T23:30:00+01:00
77ab01cd23,4e1f2ab9c0,2026-03-02 10:00:00
"""
REFERENCE = Path(os.environ.get("PERFHOUSE_REFERENCE", ROOT.parent / "shared" / "reference"))
TEXTS = {
    "000": "mft-for-zos.md",
    "001": "mq-with-zcx.md",
    "002": "mft-for-linux.md",
    "003": "mft-jit-variability.md",
    "004": "mq-on-z16.md",
}


def content(kind):
    return BUILDS if kind == "builds" else (PUBLISHED / FILES[kind]).read_bytes()


def header(kind):
    return content(kind).split(b"\n", 1)[0] + b"\n"


def line(kind, **changes):
    """Return the first row of the table in the repository as CSV, with some fields changed."""
    row = next(csv.DictReader(io.StringIO(content(kind).decode())))
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow((row | changes).values())
    return text.getvalue().encode()


@pytest.fixture(scope="module")
def tables():
    return {table: frame for kind in FILES for table, frame in parse(content(kind)).tables.items()}


@pytest.fixture(scope="module")
def cells(tables):
    return tables["published_cell"]


# --- recognise --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_is_recognised_by_its_header_alone(kind):
    assert recognise(header(kind)) == kind
    assert recognise(header(kind).replace(b"\n", b"\r\n")) == kind
    assert recognise(b"\xef\xbb\xbf" + header(kind)) == kind
    shuffled = b",".join(reversed(header(kind).strip().split(b",")))
    assert recognise(shuffled) == kind


@cases
def test_other_files_are_not_recognised(head):
    assert recognise(head) is None


@cases
def test_a_wrong_header_is_reported_in_one_line(head, message):
    with pytest.raises(ValueError, match=message) as error:
        parse(head)
    assert "\n" not in str(error.value)


# --- parse ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "table"), KINDS.items())
def test_an_empty_table_has_the_whole_schema(kind, table):
    parsed = parse(header(kind))
    assert parsed.kind == kind
    assert dict(parsed.tables[table].schema) == SCHEMAS[table]
    assert parsed.tables[table].height == 0
    assert parsed.rejected == []


def test_every_column_is_documented():
    for table, columns in SCHEMAS.items():
        assert list(COLUMN_DOCS[table]) == list(columns)
        assert all(COLUMN_DOCS[table].values())


with Path(__file__).with_name("bad_rows.csv").open(newline="") as _file:
    BAD_ROWS = list(csv.DictReader(_file))


@pytest.mark.parametrize("bad", BAD_ROWS, ids=lambda bad: f"{bad['kind']} {bad['changes']}")
def test_a_bad_row_is_left_out_with_its_line_and_reason(bad):
    kind, reason = bad["kind"], bad["reason"]
    changes = dict(change.split("=") for change in bad["changes"].split(" "))
    key = TABLES[KINDS[kind]][0].name
    good = line(kind, **{key: "999"})
    parsed = parse(header(kind) + line(kind, **changes) + good)
    frame = parsed.tables[KINDS[kind]]
    assert [row.line for row in parsed.rejected] == [2]
    assert reason in parsed.rejected[0].reason
    assert frame["record_no"].to_list() == [2]  # the good row keeps its position in the file


def test_the_second_of_two_rows_with_the_same_id_is_left_out():
    parsed = parse(header("published_cells") + 2 * line("published_cells"))
    assert [(row.line, row.reason) for row in parsed.rejected] == [(3, "cell_id 1 occurs twice")]
    assert parsed.tables["published_cell"].height == 1


def test_a_truncated_row_loses_only_itself():
    cut = line("published_cells")[:30] + b"\n"
    parsed = parse(header("published_cells") + cut + line("published_cells"))
    assert [row.line for row in parsed.rejected] == [2]
    assert "fields where the header has" in parsed.rejected[0].reason
    assert parsed.tables["published_cell"]["cell_id"].to_list() == [1]


def test_bytes_that_are_not_utf8_lose_only_their_row():
    bad = line("published_cells", note="remark").replace(b"remark", b"\xff\xfe")
    parsed = parse(header("published_cells") + bad + line("published_cells"))
    assert [(row.line, row.reason) for row in parsed.rejected] == [(2, "note is not UTF-8")]
    assert parsed.tables["published_cell"].height == 1


def test_an_open_quote_loses_the_rest_but_not_what_precedes_it():
    parsed = parse(header("published_cells") + line("published_cells") + b'2,"open\n3,next\n')
    assert parsed.tables["published_cell"]["cell_id"].to_list() == [1]
    assert [row.line for row in parsed.rejected] == [3]


@settings(max_examples=60)
@given(st.sampled_from(sorted(FILES)), st.binary(max_size=300))
def test_any_bytes_after_a_header_give_rows_or_reasons(kind, body):
    parsed = parse(header(kind) + body)
    frame = parsed.tables[KINDS[kind]]
    assert dict(frame.schema) == SCHEMAS[KINDS[kind]]
    assert frame.height + len(parsed.rejected) <= body.count(b"\n") + body.count(b"\r") + 1


@settings(max_examples=30)
@given(st.sampled_from(sorted(FILES)), st.integers(0), st.integers(0, 255))
def test_one_changed_byte_never_loses_an_earlier_row(kind, position, byte):
    whole = content(kind)
    first = len(header(kind))
    position = first + position % (len(whole) - first)
    damaged = whole[:position] + bytes([byte]) + whole[position + 1 :]
    before = whole[:position].count(b"\n") - 1  # rows that end before the damage
    frame = parse(damaged).tables[KINDS[kind]]
    assert frame["record_no"].head(before).to_list() == list(range(1, before + 1))


def test_times_of_builds_are_utc():
    times = parse(content("builds")).tables["build"]["committed_at"].to_list()
    assert times == [datetime(2026, 3, 1, 22, 30), datetime(2026, 3, 2, 10)]


# --- the tables in the repository --------------------------------------------------------------


@pytest.mark.parametrize("kind", FILES)
def test_the_committed_tables_parse_without_a_rejected_row(kind):
    parsed = parse(content(kind))
    assert parsed.rejected == []
    assert parsed.tables[KINDS[kind]].height > 0


def test_every_reference_between_the_tables_resolves(tables):
    documents = set(tables["published_document"]["document"])
    anomalies = set(tables["published_anomaly"]["anomaly_id"])
    named = {part for text in tables["published_anomaly"]["documents"] for part in text.split(";")}
    assert named <= documents
    for table in ("published_cell", "published_claim"):
        assert set(tables[table]["document"]) <= documents
        linked = [anomaly for text in tables[table]["anomalies"] for anomaly in anomaly_ids(text)]
        assert set(linked) <= anomalies


def test_a_flagged_figure_is_in_a_document_of_its_anomaly(tables):
    documents = dict(tables["published_anomaly"].select("anomaly_id", "documents").iter_rows())
    for table in ("published_cell", "published_claim"):
        for document, text in tables[table].select("document", "anomalies").iter_rows():
            for anomaly in anomaly_ids(text):
                assert document in documents[anomaly].split(";")


def test_an_anomaly_without_a_figure_says_so_or_concerns_the_document(tables):
    linked = {
        anomaly
        for table in ("published_cell", "published_claim")
        for text in tables[table]["anomalies"]
        for anomaly in anomaly_ids(text)
    }
    alone = set(tables["published_anomaly"]["anomaly_id"]) - linked
    # mistakes in wording and on the cover; several test environments
    assert alone == {19, 37, 39, 46}


def test_no_cell_is_printed_twice(cells):
    factors = [
        name
        for name in SCHEMAS["published_cell"]
        if name
        not in {
            "record_no", "cell_id", "source_line", "printed", "value_kind", "value", "value_low",
            "value_high", "anomalies", "note", "target_printed", "chunk_size_printed",
        }
    ]  # fmt: skip
    assert not cells.select(pl.struct(factors).is_duplicated()).to_series().any()


def test_the_number_matches_the_printed_figure(cells):
    """Every value matches the printed one, except for the readings explained in the notes."""
    read = cells.filter(
        (pl.col("value_kind") == "number")
        & (pl.col("cell_id") != 857)  # its decimal point is lost
        & ~pl.col("metric").is_in(["TIME+", "L2", "L4", "best_chunk_size"])
    )
    printed = read["printed"].str.extract(r"([-+]?[\d,]+(?:\.\d+)?)")
    assert (printed.str.replace_all(",", "").cast(pl.Float64) == read["value"]).all()


def test_chunk_sizes_are_powers_of_two(cells):
    sizes = cells.filter(pl.col("metric") == "best_chunk_size")["value"].to_list()
    sizes += cells["chunk_size"].drop_nulls().to_list()
    assert set(sizes) == {65536, 131072, 262144, 524288}


def test_rate_times_time_is_2048_mb_within_the_rounding_of_document_002(cells):
    row = ["table_id", "source_line"]
    both = (
        cells.filter(
            (pl.col("document") == "002") & pl.col("metric").is_in(["rate", "transfer_time"])
        )
        .pivot("metric", index=row, values="value")
        .with_columns(volume=pl.col("rate") * pl.col("transfer_time") / 8)
        .with_columns(rounding=(pl.col("rate") + pl.col("transfer_time")) * 0.005 / 8)
    )
    assert both.height == 192
    off = both.filter((pl.col("volume") - 2048).abs() > pl.col("rounding") + 1e-4)
    assert off.rows() == []


def test_the_best_times_of_document_002_are_the_lowest_of_its_tables(cells):
    factors = ["mode", "file_size_mb", "md5", "connection", "transfer"]
    linux = cells.filter(pl.col("document") == "002")
    times = linux.filter(pl.col("metric") == "transfer_time")
    best = linux.filter(pl.col("metric") == "best_transfer_time").select(*factors, best="value")
    chunk = linux.filter(pl.col("metric") == "best_chunk_size").select(*factors, chunk="value")
    least = times.group_by(factors).agg(
        least=pl.col("value").min(), least_chunk=pl.col("chunk_size").get(pl.col("value").arg_min())
    )
    seen = best.join(chunk, on=factors).join(least, on=factors)
    assert seen.height == best.height == 48
    assert seen.filter(pl.col("best") > pl.col("least")).rows() == []
    same = seen.filter(pl.col("best") == pl.col("least"))
    assert same.filter(pl.col("chunk") != pl.col("least_chunk")).rows() == []


def test_totals_are_the_sum_of_their_parts_except_the_flagged_one(cells):
    cost = cells.filter(pl.col("table_id") == "cost8000")
    column = ["connection", "ziip_offload"]
    total = cost.filter(pl.col("address_space") == "total").select(
        *column, "cell_id", "anomalies", total="value"
    )
    parts = (
        cost.filter(pl.col("address_space") != "total")
        .group_by(column)
        .agg(parts=pl.col("value").sum().round(1), number=pl.len())
    )
    both = total.join(parts, on=column)
    assert both["number"].to_list() == [5, 5, 5]
    off = both.filter(pl.col("total") != pl.col("parts"))
    assert off.select("cell_id", "total", "parts", "anomalies").rows() == [
        (618, 257.8, 258.1, "22")
    ]


def test_one_channel_of_appendix_e_is_the_10gb_row_of_appendix_c(cells):
    key = ["source", "target", "file_size_mb", "metric"]
    one = cells.filter((pl.col("section") == "Appendix E") & (pl.col("channels") == 1))
    row = cells.filter(
        (pl.col("section") == "Appendix C")
        & (pl.col("network") == "10Gb")
        & (pl.col("mode") == "binary")
        & (pl.col("compmsg") == "N")
    )
    both = one.join(row, on=key)
    assert both.height == one.height == 16
    assert both.filter(pl.col("value") != pl.col("value_right")).rows() == []


def test_distance_and_latency_agree(cells):
    far = cells.filter(pl.col("latency_km").is_not_null())
    assert (far["latency_km"] / 200 == far["latency_ms_oneway"]).all()


def test_the_blog_repeats_the_displays_of_the_report(cells):
    displays = cells.filter(pl.col("table_id").str.starts_with("top-"))
    figures = displays.group_by("document").agg(pl.struct("row_label", "metric", "printed").sort())
    first, second = figures["row_label"].to_list()
    assert first == second
    assert len(first) == 36


@pytest.mark.skipif(
    not REFERENCE.is_dir(),
    reason=f"the documents' texts are not at {REFERENCE} (set PERFHOUSE_REFERENCE)",
)
@pytest.mark.parametrize("document", TEXTS)
def test_every_figure_is_on_its_line_of_the_document(cells, document):
    lines = (REFERENCE / TEXTS[document]).read_text(encoding="utf-8").splitlines()
    for cell, number, printed, chunk in cells.filter(pl.col("document") == document)[
        ["cell_id", "source_line", "printed", "metric"]
    ].iter_rows():
        text = re.sub(r"</?\w+>", " ", lines[number - 1])
        text = re.sub(r"\s+", " ", text)
        figure = re.escape(printed)
        assert re.search(rf"(?<![\d.]){figure}(?!\.?\d)", text), (cell, chunk, printed, text)


@pytest.mark.skipif(
    not REFERENCE.is_dir(),
    reason=f"the documents' texts are not at {REFERENCE} (set PERFHOUSE_REFERENCE)",
)
def test_claims_are_those_of_the_reference_and_more(tables):
    """Conditions are in other words, and one is corrected.

    The reference gives claim 70 the condition of claim 69, a badly behaved application; line 217
    of document 001 is about an application that cannot stay connected.
    """
    figures = ["claim_id", "document", "source_line", "metric", "comparator", "low", "high", "unit"]
    reference = pl.read_csv(REFERENCE / "published/claims.csv", infer_schema=False)
    reference = reference.rename({"src_line": "source_line"}).select(figures)
    ours = tables["published_claim"]
    claims = ours.select(figures)
    assert claims.head(reference.height).equals(
        reference.select(pl.col(name).cast(ours.schema[name]) for name in figures)
    )
    assert claims.height > reference.height
    lines = (REFERENCE / TEXTS["001"]).read_text(encoding="utf-8").splitlines()
    assert "cannot remain connected" in lines[216]
    assert "8 times" in lines[216]


def test_a_display_of_storage_adds_up(cells):
    in_use, free, total = (
        cells.filter(pl.col("metric") == f"csm_total_{number}")["value"].item()
        for number in (1, 2, 3)
    )
    assert in_use + free == total


# --- what dbt says about the tables -----------------------------------------------------------


def seed(name):
    (file,) = (ROOT / "dbt/seeds").glob(f"*/{name}.csv")
    return pl.read_csv(file, infer_schema=False)


def test_dbt_describes_the_raw_columns_as_the_parser_does():
    path = ROOT / "dbt" / "models" / "staging" / "published" / "_published__sources.yml"
    (source,) = yaml.safe_load(path.read_text(encoding="utf-8"))["sources"]
    described = {
        table["name"]: {column["name"]: column["description"] for column in table["columns"][1:]}
        for table in source["tables"]
    }
    assert {table["columns"][0]["name"] for table in source["tables"]} == {"source_id"}
    assert described
    assert described == {table: COLUMN_DOCS[table] for table in described}


def test_dbt_knows_the_metrics_and_units_in_use(cells):
    assert set(seed("published_metric")["metric"]) == set(cells["metric"])
    assert set(cells["unit"].drop_nulls()) <= set(seed("run_unit")["unit"])


def test_every_claim_is_compared_with_existing_cells(tables):
    cells = set(tables["published_cell"]["cell_id"].cast(pl.String))
    claims = set(tables["published_claim"]["claim_id"].cast(pl.String))
    method, evidence = seed("published_claim_method"), seed("published_claim_evidence")
    assert set(method["claim_id"]) <= claims
    assert set(evidence["cell_id"]) <= cells
    assert set(evidence["share_claim_id"].drop_nulls()) <= claims
    computed = method.filter(pl.col("method").is_not_null())
    assert set(evidence["claim_id"]) == set(computed["claim_id"])
    reasoned = method.filter(pl.col("not_computed_reason").is_not_null())
    assert set(reasoned["claim_id"]) == set(method["claim_id"]) - set(computed["claim_id"])
