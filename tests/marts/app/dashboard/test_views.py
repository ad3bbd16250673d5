"""Every view with no warehouse, an unbuilt one, an empty one, one row, and all bundled data."""

import duckdb
import pandas as pd
import pytest

from app.dashboard import units
from app.dashboard.navigation import VIEWS, view_of
from app.pipeline import steps
from app.pipeline.places import ROOT
from app.results.last_night import read_last_night
from app.results.queries import scope
from app.results.reader import Reader
from expectations.outcome import AuditResult, ExpectationOutcome
from expectations.store import write_result
from ingest.lake import queries
from ingest.lake.warehouse import Warehouse
from tests.kit.cases import cases
from tests.kit.dashboard import (
    HOSTILE,  # noqa: F401 (a case)
    HOSTILE_SHOWN,
    altered,
    charts,
    markdown,
    metrics,
    said,
    stored,
)

NOT_THERE = ":material/search_off:"  # of a message about the address
NAMES = [view.path for view in VIEWS]
ANY = view_of("queue-manager")  # main says it, not the view
# the fewest charts of a page on the bundled data; a page that is not listed has at least one
CHARTS = {"today": 0, "loads": 2, "data-issues": 0, "runs": 2, "run": 3, "regressions": 0,
          "queue-manager": 10, "channel-initiator": 8, "tasks-and-queues": 12, "lpars": 15,
          "workload": 9, "address-spaces": 10, "coupling-facility": 12, "storage": 10,
          "crypto-and-hardware": 12,
          "published": 0, "simulator": 4, "cost": 1, "sql": 0, "reports": 0,
          "lineage": 0, "usage": 2, "logs-and-page-sets": 20, "queues": 10,
          "system-health": 0, "mq-health": 0, "noise": 1}  # fmt: skip
# the bundled data has no regressions and hardly any issues (test_loads.py has some), a single run
# has nothing to compare with, no tool printed its rate, and the one figure of a report is of
# another system
UNFILTERED = {"today", "regressions", "data-issues", "loads"}
DRAWN_BY_ONE = [
    view
    for view in VIEWS
    if view.path not in {"comparison", "regressions", "data-issues", "rmf-reports"}
]


def test_page_without_a_warehouse_says_what_to_run(tmp_path, open_page):
    page = open_page(ANY, tmp_path / "nowhere.duckdb")
    assert not page.exception
    assert "nowhere.duckdb" in page.info[0].value
    assert "perfhouse run" in page.code[0].value


def test_page_before_the_first_build_says_what_to_run(unbuilt, open_page):
    page = open_page(ANY, unbuilt)
    assert not page.exception
    assert "no file is loaded" in page.info[0].value
    assert page.code[0].value == f"perfhouse run PATH --warehouse {unbuilt}"


def test_page_says_that_a_build_was_held_back(tmp_path, open_page):
    warehouse = Warehouse(tmp_path / "w.duckdb")
    steps.ingest_paths(warehouse, [ROOT / "tests/kit/samples/bench/ioping.txt"])
    lost = ExpectationOutcome("marts", "t", "x", "", False, "fault", "", "", "rows are lost")
    write_result(AuditResult("20260301T100000", "b1", (lost,)), warehouse.audit, "1")
    page = open_page(VIEWS[1], warehouse.file)
    assert not page.exception
    assert (
        "b1 was held back, as its audit found a fault of perfhouse: rows are lost"
        in page.info[0].value
    )
    assert page.code[0].value.splitlines() == [
        warehouse.command(step) for step in ("build", "check", "publish")
    ]


@pytest.mark.parametrize("view", VIEWS, ids=NAMES)
def test_page_on_an_empty_warehouse_says_what_to_load(view, empty, open_page):
    page = open_page(view, empty)
    assert not page.exception
    assert "loaded" in page.info[0].value
    assert "perfhouse run" in page.code[0].value
    assert charts(page) == 0


def test_file_that_is_not_a_database_gives_a_message_without_a_traceback(tmp_path, open_page):
    file = tmp_path / "notes.duckdb"
    file.write_text("not a database" * 1000)
    page = open_page(ANY, file)
    assert not page.exception
    assert "cannot be read" in page.warning[0].value


@pytest.mark.parametrize("view", DRAWN_BY_ONE, ids=[view.path for view in DRAWN_BY_ONE])
def test_one_row_is_drawn_and_its_names_are_not_taken_for_markdown(view, hostile, open_page):
    page = open_page(view, hostile)
    assert not page.exception
    assert not [info for info in page.info if info.icon == ":material/inbox:"]  # an empty state
    assert page.title[0].value == view.title
    assert len(page.dataframe) >= 1
    if CHARTS.get(view.path, 1):
        assert charts(page) >= 1
    assert "[b](" not in markdown(page)
    assert " :red" not in markdown(page)
    texts = [text for table in page.dataframe for text in table.value.to_numpy().flat]
    texts += [markdown(page), *(code.value for code in page.code)]
    assert {sign for text in texts for sign in str(text) if not sign.isprintable()} <= {"\n"}
    if view.path in {"runs", "run", "published"}:  # each shows some outside its tables
        assert HOSTILE_SHOWN in said(page)


@cases
def test_an_address_that_means_nothing_is_drawn_and_not_repeated_raw(
    path, address, bundled, open_page
):
    page = open_page(view_of(path), bundled, **address)
    assert not page.exception
    assert "[b](" not in markdown(page)
    assert all(sign.isprintable() or sign == "\n" for sign in markdown(page))


@pytest.mark.parametrize("view", VIEWS, ids=NAMES)
def test_bundled_data_is_drawn_and_the_address_holds_every_filter(view, bundled, open_page):
    # the queue manager with the newest records does not use every feature
    page = open_page(view, bundled, qm="SYN1/SYQ2")
    assert not page.exception
    assert charts(page) >= CHARTS.get(view.path, 1)
    if view.owner:
        assert ":orange-badge[simulated]" in said(page)
    if view.path == "published":
        assert ":violet-badge[published]" in said(page)
    downloads = [button for button in page.get("download_button") if button.label == "CSV"]
    assert len(downloads) == len(page.dataframe)

    if view.path in UNFILTERED:
        return
    kinds = ("selectbox", "multiselect", "button_group", "slider", "number_input", "text_area")
    filters = {element.key: element.value for kind in kinds for element in page.get(kind)}
    assert filters
    assert {key for key, value in filters.items() if value != []} <= set(page.query_params)
    again = open_page(view, bundled, **page.query_params)
    assert not [said for said in again.warning if said.icon == NOT_THERE]
    assert again.query_params == page.query_params
    assert {e.key: e.value for kind in kinds for e in again.get(kind)} == filters


def test_single_run_is_compared_with_figures_only(one_row, open_page):
    page = open_page(view_of("comparison"), one_row)
    assert not page.exception
    assert "nothing to compare it with" in said(page)
    page = open_page(view_of("comparison"), one_row, against="Published figures")
    assert not page.exception
    assert "published figures" in said(page)


@pytest.mark.parametrize(
    ("path", "address", "label", "counted"),
    [
        ("runs", {"campaign": "z16"}, "Runs", "count(*) from marts.fct_run where campaign = 'z16'"),
        ("loads", {}, "Loads", "count(*) from raw.ledger"),
        ("loads", {}, "Records loaded", "sum(records_loaded) from raw.ledger"),
    ],
)
def test_tiles_count_what_there_is(path, address, label, counted, bundled, open_page):
    with duckdb.connect(str(bundled), read_only=True) as db:
        (number,) = db.execute(f"select {counted}").fetchone()
    page = open_page(view_of(path), bundled, **address)
    assert metrics(page)[label] == units.number(number)


def test_tiles_of_a_single_interval_equal_the_mart(one_row, open_page):
    with duckdb.connect(str(one_row), read_only=True) as db:
        put, got, log, write = db.execute(
            "select put_requests_per_second, gets_per_second, 1048576 * log_mb_per_second,"
            " log_average_write_us from marts.fct_queue_manager_interval"
        ).fetchone()
    shown = metrics(open_page(view_of("queue-manager"), one_row))
    assert shown["Put"] == units.quantity(put, "put/s")
    assert shown["Get"] == units.quantity(got, "get/s")
    assert shown["Log"] == units.byte_count(log, "/s")
    assert shown["Log write"] == units.duration(write)


@pytest.mark.parametrize(
    ("severity", "kind", "words"),
    [
        ("fault", "error", "found a fault of perfhouse, and its build was held back"),
        ("error", "warning", "found 1 error in the data"),
        ("warning", "info", "passed with 1 warning"),
    ],
)
def test_today_lists_failed_expectations_and_newer_loads(
    severity, kind, words, bundled, tmp_path, open_page
):
    failed = (
        "update meta.expectation_result set passed = rowid <> 0, message = 'much too slow',"
        f" severity = '{severity}' where rowid = 0 or not passed"
    )
    newer = (
        "insert into raw.ledger by name"
        " select * replace ('new' as source_id) from raw.ledger limit 1"
    )
    kept = (stored("meta.expectation_result"), stored("raw.ledger"))
    file = altered(bundled, tmp_path, [*kept, failed, newer])
    page = open_page(view_of("today"), file)
    assert not page.exception
    assert ("much too slow",) in [
        (row,)
        for table in page.dataframe
        if "message" in table.value
        for row in table.value.message
    ]
    assert words in page.get(kind)[-1].value
    assert any("1 load is newer" in warning.value for warning in page.warning)


def test_url_sets_the_filters(bundled, open_page):
    page = open_page(
        view_of("queue-manager"), bundled, qm=["SYN1/SYQ2"],
        **{"from": "2024-02-29T13:31", "to": "2024-02-29T13:59"},
    )  # fmt: skip
    assert not page.exception
    assert page.multiselect(key="qm").value == ["SYN1/SYQ2"]
    intervals = page.dataframe[-1].value
    assert set(intervals.queue_manager) == {"SYQ2"}
    assert intervals.interval_start_utc.max().isoformat() < "2024-02-29T13:59"
    ends = intervals.interval_start_utc + pd.to_timedelta(intervals.interval_seconds, "s")
    assert ends.min().isoformat() > "2024-02-29T13:31"


def test_page_says_how_wide_merged_steps_are(bundled, open_page, monkeypatch):
    view = view_of("queue-manager")
    assert "Each step" not in said(open_page(view, bundled, qm="SYN1/SYQ1"))
    monkeypatch.setattr(scope, "MOST_POINTS", 10)
    page = open_page(view, bundled, qm="SYN1/SYQ1")
    assert "Each step in the charts covers 15 min" in said(page)


def test_changing_the_queue_manager_resets_a_range_without_its_data(bundled, open_page):
    page = open_page(
        view_of("queue-manager"), bundled, qm=["SYN1/SYQ1"],
        **{"from": "2024-02-29T14:00", "to": "2024-02-29T14:30"},
    )  # fmt: skip
    page.multiselect(key="qm").set_value(["SYN1/SYQ3"]).run()
    assert not page.exception
    assert not page.info
    assert set(page.dataframe[-1].value.queue_manager) == {"SYQ3"}


def test_each_queue_manager_has_its_own_chart(bundled, open_page):
    one = open_page(view_of("queue-manager"), bundled, qm=["SYN1/SYQ1"])
    two = open_page(view_of("queue-manager"), bundled, qm=["SYN1/SYQ1", "SYN1/SYQ2"])
    assert not two.exception
    assert charts(two) > charts(one)
    assert [metric.label for metric in two.metric].count("Put") == 2


def test_filter_value_missing_from_new_data_is_dropped(bundled, one_row, open_page, monkeypatch):
    page = open_page(view_of("queue-manager"), bundled, qm=["SYN1/SYQ2"])
    monkeypatch.setenv("PERFHOUSE_WAREHOUSE", str(one_row))
    page.run()
    assert not page.exception
    assert set(page.dataframe[-1].value.queue_manager) == {"SYQ1"}


@pytest.mark.parametrize("document", ["003", "004"])
def test_every_section_of_a_document_shows_its_tables(document, bundled, open_page):
    with duckdb.connect(str(bundled), read_only=True) as db:
        sections = db.execute(
            "select place, count(*), sum(figures) from marts.dim_published_table"
            " where document_id = ? group by place", [document]
        ).fetchall()  # fmt: skip
    view = view_of("published")
    tables = open_page(view, bundled, document=document)
    assert {section for section, *_ in sections} <= set(tables.selectbox(key="section").options)
    for section, count, figures in sections:
        tables.selectbox(key="section").set_value(section).run()
        assert not tables.exception, section
        *printed, every = (table.value for table in tables.dataframe)
        assert len(printed) == count, section
        assert len(every) == figures, section


def test_a_table_is_laid_out_as_it_is_printed(bundled, open_page):
    page = open_page(
        view_of("published"), bundled, document="004", section="4 TLS", beside="nothing"
    )
    negotiation = page.dataframe[0].value
    assert list(negotiation.columns) == ["Cipher", "z15", "z16"]
    assert negotiation.iloc[0].tolist() == ["TLS_RSA_WITH_AES_256_CBC_SHA256", "0.86", "0.43"]
    assert negotiation.iloc[3].tolist() == ["ECDHE_ECDSA_AES_256_CBC_SHA384", "4.4", "3"]


@cases
def test_a_table_is_drawn_beside_runs_and_models(document, section, fewest, bundled, open_page):
    page = open_page(
        view_of("published"), bundled, document=document, section=section, **{"as": "charts"}
    )
    assert not page.exception
    assert charts(page) >= fewest


def test_slips_are_shown_at_the_figure_they_concern(bundled, open_page):
    page = open_page(view_of("published"), bundled, section="Appendix C", beside="nothing")
    rates = page.dataframe[0].value
    assert rates[rates["Target"] == "zOS"]["1 GB"].tolist() == ["97.56 ¹ ⁴ ¹⁴", "97.60 ¹"]
    assert "¹ misprint: Target printed zOS" in said(page)


def test_claims_are_filtered_by_document_and_verdict(bundled, open_page):
    page = open_page(view_of("published"), bundled, show="Claims", of=["000", "004"])
    everything = page.dataframe[0].value
    assert set(everything.document_id) == {"000", "004"}
    page.multiselect(key="verdict").set_value(["differs"]).run()
    against = page.dataframe[0].value
    assert 0 < len(against) < len(everything)
    assert not against.is_within_claim.any()
    shown = metrics(page)
    assert shown["Differs"] == str(len(against))
    page.multiselect(key="verdict").set_value(["as predicted"]).run()
    assert page.dataframe[0].value.is_within_claim.isna().all()


@pytest.mark.parametrize("metric", ["rate", "cost_per_GB", "log_write_latency"])
def test_a_figure_of_a_run_is_followed_to_its_loads(metric, bundled, open_page):
    page = open_page(view_of("lineage"), bundled, run="smoke-20260112T140500", metric=metric)
    assert not page.exception
    files = next(t.value for t in page.dataframe if "loaded_at_utc" in t.value)
    assert len(files) >= 2
    assert f"{metric} = " in said(page)
    models = page.dataframe[-1].value
    assert models.name.iloc[0] == "marts.fct_measurement"
    assert any(name.startswith("raw.") for name in models.name)


def test_a_record_is_shown_with_the_fields_of_the_manual(bundled, open_page):
    with duckdb.connect(str(bundled), read_only=True) as db:
        source, number = db.execute(
            "select source_id, record_no from raw.smf115_qmst order by all limit 1"
        ).fetchone()
    page = open_page(view_of("lineage"), bundled, source=source, record=str(number))
    assert not page.exception
    fields = next(t.value for t in page.dataframe if "qmstput" in set(t.value.get("column", ())))
    assert "MQPUT" in fields[fields["column"] == "qmstput"]["meaning"].item()
    assert any(f"FROM raw.smf115_qmst WHERE source_id = '{source}'" in c.value for c in page.code)


@cases
def test_lineage_says_what_an_address_does_not_lead_to(address, words, bundled, open_page):
    page = open_page(view_of("lineage"), bundled, **address)
    assert not page.exception
    assert words in "\n".join(info.value for info in page.info)


def test_tables_are_found_by_words(bundled, open_page):
    page = open_page(view_of("lineage"), bundled, follow="Tables", search="published claim")
    found = page.dataframe[0].value
    assert "marts.fct_published_claim" in set(found.name)
    assert "marts.fct_run" not in set(found.name)


def test_the_models_of_a_table_are_drawn(bundled, open_page):
    page = open_page(view_of("lineage"), bundled, follow="Tables", table="marts.fct_run_total")
    assert not page.exception
    (drawn,) = page.get("graphviz_chart")
    assert '"marts.fct_run" -> "marts.fct_run_total"' in drawn.proto.spec


def test_sql_says_why_a_query_ended_and_has_a_process_for_the_next(bundled, open_page, monkeypatch):
    monkeypatch.setenv("PERFHOUSE_QUERY_SECONDS", "1")
    deaf = "select levenshtein(repeat('a', 1_000_000), repeat('b', 1_000_000))"
    for sql, words in [(deaf, "stopped after 1 seconds"), ("select 1 as one", "1 row in")]:
        page = open_page(view_of("sql"), bundled, sql=sql)
        next(button for button in page.button if button.label == "Run").click().run()
        assert not page.exception
        assert words in said(page) + "".join(code.value for code in page.code)
        (waiting,) = (future.result() for future in queries._spare)
        assert waiting.process.poll() is None


@pytest.mark.parametrize(
    ("verdict", "kind"),
    [("worse", "error"), ("missing", "warning"), ("suspected", "warning"),
     ("not judged", "info"), ("same", "success")],
)  # fmt: skip
def test_today_draws_how_last_night_was(verdict, kind, bundled, tmp_path, open_page):
    night = (
        "create or replace view marts.fct_last_night as select 'series' as kind, origin, metric,"
        " 'n' as name, campaign, configuration_id, last_utc as expected_utc, last_utc,"
        f" true as arrived, '{verdict}' as verdict, 'why' as reason from marts.fct_series_level"
        " where more_is_better and is_current limit 1"
    )
    worse = f"update marts.fct_series_level set last_verdict = 'worse' where '{verdict}' = 'worse'"
    file = altered(bundled, tmp_path, [night, worse])
    page = open_page(view_of("today"), file)
    assert not page.exception
    night = read_last_night(Reader(file))
    assert night.verdict == verdict
    assert any(night.answer[1:20] in message.value for message in page.get(kind))
    listed = [t.value for t in page.dataframe if "reason" in t.value and "subject" in t.value]
    assert len(listed) == (verdict in {"worse", "missing", "suspected"})


def test_a_run_that_is_not_there_is_said_once(bundled, open_page):
    page = open_page(view_of("run"), bundled, run="no-such", campaign="nor-this")
    assert not page.exception
    (alert,) = [one.value for kind in ("info", "warning", "error") for one in page.get(kind)]
    assert "no\\-such" in alert or "no-such" in alert
