# ruff: noqa: E501 (outputs have long lines)
"""Results of tools and plain tables: the figures of each reader, traps, and clear refusals."""

import io
import re
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

from ingest.base.errors import SettingsError
from ingest.formats.about import about
from ingest.formats.bench import outcome, tables
from ingest.formats.bench.results import About
from ingest.formats.plugin import plugins
from tests.kit.cases import cases
from tests.kit.expected import check, excerpt_of, expected

AT = datetime(2026, 3, 1, 10)
ABOUT = About("x.json", AT)


def figures(content, about=ABOUT):
    content = content.encode() if isinstance(content, str) else content
    assert outcome.recognise(content)
    parsed = outcome.parse_file(content, about)
    assert parsed.rejected == []
    rows = parsed.tables["bench_measurement"].rows(named=True)
    return {row["metric"]: (row["value"], row["unit"], row["more_is_better"]) for row in rows}


RESULTS = Path(__file__).parent / "results"


@pytest.mark.parametrize("file", expected(RESULTS / "expected"), ids=lambda f: f.stem)
def test_figures_of_a_tool(file):
    """Each has a trap, see results/README.md."""
    content = (RESULTS / excerpt_of(file)).read_bytes()
    assert outcome.recognise(content)
    parsed = outcome.parse_file(content, ABOUT)
    assert parsed.rejected == []
    check(file, parsed.tables)


WRK_EMPTY = """Running 1s test @ http://localhost:1/
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     0.00us    0.00us   0.00us    -nan%
  0 requests in 1.00s, 0.00B read
Requests/sec:      0.00
Transfer/sec:       0.00B
"""
EMPTY = """Type,Name,Request Count,Failure Count,Average Response Time,Requests/s,50%,95%,100%
,Aggregated,0,0,0.0,0.0,N/A,N/A,N/A
"""


@pytest.mark.parametrize("content", [
    EMPTY,
    ('{"latencies": {"mean": 0, "50th": 0, "99th": 0}, "wait": 0, "requests": 0, "rate": 0,'
     ' "throughput": 0, "success": 0, "status_codes": {}}'),
    WRK_EMPTY,
])  # fmt: skip
def test_a_run_without_requests_has_no_figures(content):
    parsed = outcome.parse_file(content.encode(), ABOUT)
    assert "bench_run" not in parsed.tables
    assert re.search("without figures|0 requests", parsed.rejected[0].reason)


# --- failures and forms -----------------------------------------------------------------------

K6_TEXT = """     http_req_duration..............: avg=12.5ms p(95)=40ms
       { expected_response:true }...: avg=1ms p(95)=1ms
     http_req_failed................: 0.00%  0 out of 1000
     http_reqs......................: 1000   100/s
"""
K6_FIGURES = {"HTTP request mean": 12.5, "HTTP request p95": 40, "failed HTTP requests": 0,
              "HTTP requests per second": 100}  # fmt: skip
WRK = """Running 30s test @ http://127.0.0.1:8080/
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.00ms    0.50ms   9.00ms   90.00%%
  30000 requests in 30.00s, 3.00MB read
%s
Requests/sec:   1000.00
"""
JTL = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,x,y\n"
SAMPLES = "".join(f"1767348000{at}00,50,PUT,200,OK,t 1-1,text,true,,\n" for at in range(10))
JTL_FIGURES = {"requests per second": 10 / 0.95, "errors": 0, "mean": 50,
               "p50": 50, "p95": 50, "p99": 50}  # fmt: skip
FIO = """{"fio version": "fio-3.36", "jobs": [
 {"jobname": "%s", "read": {"total_ios": 1, "iops": %s, "lat_ns": {"mean": 1000}}},
 {"jobname": "%s", "read": {"total_ios": 3, "iops": %s, "lat_ns": {"mean": 3000}}}]}"""
GO = "pkg: q\n" + 3 * "Benchmark%s \t 1000\t %s ns/op\n"


def runs(tables):
    """Return the figures of each run."""
    rows = tables["bench_measurement"].rows(named=True) if "bench_run" in tables else []
    numbers = dict.fromkeys(row["record_no"] for row in rows)
    return [{r["metric"]: r["value"] for r in rows if r["record_no"] == no} for no in numbers]


@cases
def test_what_failed_is_told_and_keeps_no_figure_but_its_share(content, reason, kept):
    parsed = outcome.parse_file(content.encode(), ABOUT)
    assert reason in parsed.rejected[0].reason
    assert runs(parsed.tables) == ([pytest.approx(kept)] if kept else [])


@cases
def test_an_output_in_any_form(content, expected_runs):
    parsed = outcome.parse_file(content.encode(), ABOUT)
    assert parsed.rejected == []
    assert runs(parsed.tables) == [pytest.approx(run) for run in expected_runs]


def test_a_line_cut_short_and_a_second_document_cut_short_leave_the_rest():
    for content, line in ((JTL + SAMPLES + "1767348000000,50,PU", 12),
                          (FIO % ("a", 1, "a", 3) + '\n{"fio version": ', 4)):  # fmt: skip
        parsed = outcome.parse_file(content.encode(), ABOUT)
        assert [part.line for part in parsed.rejected] == [line]
        assert parsed.tables["bench_run"].height == 1


def test_a_package_can_bring_a_reader(tmp_path, monkeypatch):
    """The example of docs/your-results.md, beside one that cannot be imported."""
    page = (Path(__file__).parents[5] / "docs/your-results.md").read_text()
    (tmp_path / "putter.py").write_text(page.split("```python\n")[1].split("```")[0])
    folder = tmp_path / "putter-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: putter\nVersion: 1\n")
    (folder / "entry_points.txt").write_text(
        "[perfhouse.plugins]\na_broken = gone:PLUGIN\nputter = putter:PLUGIN\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("ingest.formats.plugin._problems", {})
    plugins.cache_clear()
    text = b"putter 1\nrate: 12.5\np99: 3ms\n"
    try:
        assert outcome.recognise(text) == "results_putter"
        found = runs(outcome.parse_file(text, ABOUT).tables)
        assert outcome.parse_file(text + b"MQRC 2035\n", ABOUT).rejected[0].reason.endswith("2035")
    finally:
        plugins.cache_clear()
    assert found == [{"puts per second": 12.5, "p99": 3}]


@pytest.mark.parametrize(
    ("labels", "environment", "build"),
    [({}, {}, "file"), ({}, {"git_revision": "ci"}, "file"), ({"git_revision": "me"}, {}, "me")],
)
def test_the_build_is_what_people_say_then_the_file_then_the_environment(
    labels, environment, build
):
    content = (
        b'{"machine_info": {}, "commit_info": {"id": "file"}, "datetime": "2026-01-02T10:00:00",'
        b' "benchmarks": [{"name": "a", "stats": {"mean": 1}}]}'
    )
    known = ABOUT._replace(labels=labels, environment=environment)
    rows = outcome.parse_file(content, known).tables["bench_run_label"].rows(named=True)
    assert [row["value"] for row in rows if row["label"] == "git_revision"] == [build]


# --- plain tables -----------------------------------------------------------------------------


def T(names, *rows):
    """Return a table of one night for each row."""
    lines = [f"{at}-01-05T03:00:00Z,{row}" for at, row in enumerate(rows, 2026)]
    return "\n".join([f"start,{names}", *lines, ""])


PLAIN = "start,build,clients,requests_per_second,p95_ms\n2026-01-05T03:00:00Z,b1,64,1000.9,40.6\n"


@cases
def test_a_plain_table_in_any_form(content):
    assert figures(content, About("r.csv")) == {
        "requests_per_second": (1000.9, "1/s", True), "p95": (40.6, "ms", False)}  # fmt: skip
    tables = outcome.parse_file(content, About("r.csv")).tables
    assert tables["bench_run"]["start_utc"].to_list() == [datetime(2026, 1, 5, 3)]
    assert tables["bench_run_factor"].select("factor", "value").rows() == [("clients", "64")]
    assert ("git_revision", "b1") in tables["bench_run_label"].select("label", "value").rows()


def test_a_parquet_file():
    out = io.BytesIO()
    pl.DataFrame({"start": [AT], "p95_ms": [1.5]}).write_parquet(out)
    assert figures(out.getvalue(), About("r", time_zone="UTC")) == {"p95": (1.5, "ms", False)}


@cases
def test_a_table_as_people_write_it(content, metric, figure):
    columns = {"start": "Datum+Uhrzeit"} if "Datum" in content else {}
    parsed = outcome.parse_file(content.encode(), About("r.csv", columns=columns))
    assert parsed.rejected == []
    row = parsed.tables["bench_measurement"].filter(metric=metric).row(0, named=True)
    assert (row["value"], row["unit"], row["more_is_better"]) == figure


@cases
def test_what_a_column_is(column, cells, role):
    content = T(f"p95_ms,{column}", *(f"1,{cell}" for cell in cells)).encode()
    understood = tables.understand(content, About("r.csv"))
    is_said = any(note.startswith(f"{column} ") for note in understood.notes)
    assert understood.columns[2][1] + ", said" * is_said == role
    assert not outcome.parse_file(content, About("r.csv")).rejected


def test_a_metric_that_comes_again_is_a_repetition_and_a_row_that_does_is_not():
    content = re.sub(r"20\d\d-", "2026-", T("metric,value", "lat,1", "lat,2", "lat,2", "rate,9"))
    tables = outcome.parse_file(content.encode(), About("r.csv")).tables
    assert runs(tables) == [{"lat": 1, "rate": 9}, {"lat": 2}]


def test_settings_say_what_a_column_is():
    about = About("r.csv", units={"tries": "count"}, better={"tries": "less"})
    assert figures(T("tries", "3"), about) == {"tries": (3, "count", False)}
    content = '{"GET": {"sampleCount": 1, "pct1ResTime": 7}}'
    renamed = figures(content, ABOUT._replace(names={"percentile 1": "p90"}))
    assert renamed == {"GET p90": (7, "ms", False)}


@cases
def test_a_time_as_people_write_it(text, moment):
    table = f"start;p95_ms\n{text};1\nTOTAL;2\n".encode()
    parsed = outcome.parse_file(table, About("r.csv", time_zone="UTC"))
    assert parsed.tables["bench_run"]["start_utc"].to_list() == [moment]
    assert [part.line for part in parsed.rejected] == [3]


@pytest.mark.parametrize(("seconds", "is_said"), [(1, True), (3600, False)])
def test_rows_that_may_be_samples_of_one_run_are_noted(seconds, is_said):
    rows = [f"{1767582000 + seconds * at},{at % 7}" for at in range(20)]
    content = "\n".join(["timestamp,cpu_percent", *rows]).encode()
    notes = tables.understand(content, About("r.csv")).notes
    assert any("s apart: each is read as a run" in note for note in notes) == is_said


def test_a_date_with_dots_is_day_month_year():
    about = About("r.csv", time_zone="Europe/Berlin")
    parsed = outcome.parse_file(b"start\tp95_ms\n02.01.2026 03:00\t5\n", about)
    assert parsed.tables["bench_run"]["start_utc"].to_list() == [datetime(2026, 1, 2, 2)]


COURSES = [
    "Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,66%\n1767582000,10,,Aggregated,5,0,1,2\n",
    "metric_name,timestamp,metric_value,check\nhttp_reqs,1767582000,1.0,\n",
    '{"type":"Metric","data":{"name":"http_reqs","type":"counter"},"metric":"http_reqs"}\n',
    '{"metric":"http_reqs","type":"Metric","data":{"name":"http_reqs"}}\n',
]


@pytest.mark.parametrize("content", COURSES)
def test_what_a_tool_writes_while_it_runs_is_no_result(content):
    parsed = outcome.parse_file(content.encode(), ABOUT)
    assert "bench_run" not in parsed.tables
    assert "the course of a run, not its result" in parsed.rejected[0].reason


@cases
def test_what_cannot_be_read_is_refused_with_line_and_remedy(content, line, reason):
    assert outcome.recognise(content.encode())
    parsed = outcome.parse(content.encode())
    assert "bench_run" not in parsed.tables
    assert parsed.rejected[0].line == line
    assert reason in parsed.rejected[0].reason


@pytest.mark.parametrize("level", ["fast", "binary"])
def test_a_factor_may_have_any_name_and_level(level):
    content = f"start,mode,netwrok,p95_ms\n2026-01-05T03:00:00Z,{level},a,1\n".encode()
    rows = outcome.parse(content).tables["bench_run_factor"]["factor"].to_list()
    assert rows == [("mode" if level == "binary" else "x_mode"), "x_netwrok"]


@pytest.mark.parametrize(("series", "campaign"), [("", "r-2026-01-05"), ("r", "r")])
def test_a_load_of_before_keeps_the_campaign_of_its_tables(series, campaign):
    about = About("r-2026-01-05.csv", series=series)
    runs = outcome.parse_file(PLAIN.encode(), about).tables["bench_run"]
    assert runs["run_id"].to_list() == [f"{campaign}-20260105T030000"]


def test_labels_mapping_campaign_and_direction_come_from_what_is_known_of_the_file():
    about = About("r.csv", campaign="c", time_zone="Europe/Berlin", labels={"machine": "m"},
                  columns={"start": "when"}, better={"depth": "more"})  # fmt: skip
    parsed = outcome.parse_file(b"when,depth_count\n2026-07-05 03:00:00,7\n", about)
    assert parsed.tables["bench_run"].select("campaign", "start_utc").row(0) == (
        "c", datetime(2026, 7, 5, 1))  # fmt: skip
    assert ("machine", "m") in parsed.tables["bench_run_label"].select("label", "value").rows()


def test_the_time_is_that_of_the_name_or_else_of_the_file():
    for name, start, source in (
        ("k6-2026-02-03T04-05-06.json", datetime(2026, 2, 3, 4, 5, 6), "name of the file"),
        ("k6.json", datetime(2026, 3, 1, 9, 59, 59), "time of the file"),
    ):
        content = (RESULTS / "k6.json").read_bytes()
        tables = outcome.parse_file(content, About(name, AT)).tables
        assert tables["bench_run"]["start_utc"].item() == start
        assert ("time_from", source) in tables["bench_run_label"].select("label", "value").rows()


def test_settings_beside_a_file_are_read_and_say_what_they_may(tmp_path):
    file = tmp_path / "res.csv"
    file.write_text("start,depth\n")
    settings = tmp_path / "res.results.toml"
    settings.write_text('better = { depth = "less" }\n')
    assert about(file).better == {"depth": "less"}
    settings.write_text('better = { depth = "lower" }\n')
    with pytest.raises(SettingsError, match="better: depth = 'lower': write more or less"):
        about(file)
    table = b"start,stop,p95_ms\n2021-03-01T10:00:00Z,2021-03-01T10:01:00Z,4\n"
    notes = tables.understand(table, About(better={"depht": "less"})).notes
    assert "settings name no figure of this file: depht" in notes
