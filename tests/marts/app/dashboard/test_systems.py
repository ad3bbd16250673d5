"""The time picker, brushes, bands of runs and drilling, which pages on systems share."""

import json
from datetime import datetime

import duckdb
import polars as pl
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from app.dashboard.navigation import VIEWS, view_of
from app.dashboard.period import Range
from app.results.pages import page_of
from app.results.queries.health import verdicts
from ingest.base.errors import SettingsError
from tests.kit.cases import cases
from tests.kit.dashboard import altered

LPARS, QUEUE_MANAGER = view_of("lpars"), view_of("queue-manager")
HALF_HOUR = {"from": "2024-02-29T13:31", "to": "2024-02-29T14:01"}
SYSTEM = {"systems": ["PLEX1/SY1"]}


def asked(page):
    """Return the time range in the address of a page."""
    values = (page.query_params[name] for name in ("from", "to"))
    return tuple(value if isinstance(value, str) else value[0] for value in values)


def captions(page):
    return " ".join(block.value for block in page.caption)


def button(page, name):
    return next(one for one in page.button if one.key == f"_time_{name}")


def specs(page):
    return [json.loads(chart.proto.spec) for chart in page.get("vega_lite_chart")]


def test_default_range_is_in_the_address(bundled, open_page):
    page = open_page(QUEUE_MANAGER, bundled, qm=["SYN1/SYQ1"])
    start, end = asked(page)
    assert (start, end) == ("2024-02-29T13:00", "2024-02-29T15:01")
    assert [field.value.isoformat()[:16] for field in page.datetime_input] == [start, end]


@pytest.mark.parametrize(
    ("fields", "range_"),
    [
        ({0: datetime(2024, 2, 29, 13, 7)}, ("2024-02-29T13:07", "2024-02-29T14:01")),
        ({0: datetime(2024, 2, 29, 14, 20)}, ("2024-02-29T14:20", "2024-02-29T14:50")),
        ({1: datetime(2024, 2, 29, 13, 30)}, ("2024-02-29T13:00", "2024-02-29T13:30")),
    ],
    ids=["from", "from after to", "to before from"],
)  # fmt: skip
def test_fields_set_the_range_to_the_minute(fields, range_, bundled, open_page):
    page = open_page(QUEUE_MANAGER, bundled, qm=["SYN1/SYQ1"], **HALF_HOUR)
    for place, value in fields.items():
        page.datetime_input[place].set_value(value).run()
    assert not page.exception
    assert asked(page) == range_


@cases
def test_buttons_move_and_widen_the_range(name, range_, bundled, open_page):
    page = open_page(QUEUE_MANAGER, bundled, qm=["SYN1/SYQ1"], **HALF_HOUR)
    button(page, name).click().run()
    assert not page.exception
    assert asked(page) == range_


def test_range_is_kept_from_page_to_page(bundled, open_page):
    page = open_page(QUEUE_MANAGER, bundled, qm=["SYN1/SYQ1"])
    page.datetime_input[0].set_value(datetime(2024, 2, 29, 13, 31)).run()
    for view in (view_of("tasks-and-queues"), LPARS):
        page._page_hash = calc_hash(view.path)
        page.query_params.clear()
        page.query_params["systems"] = "PLEX1/SY1"
        page.run()
        assert not page.exception
        assert asked(page) == ("2024-02-29T13:31", "2024-02-29T15:01")


def test_default_range_is_not_kept_for_another_owner(bundled, open_page):
    page = open_page(LPARS, bundled, **SYSTEM)
    first = asked(page)
    page.multiselect(key="systems").set_value(["PERFPLEX/MVS1"]).run()
    assert not page.exception
    assert asked(page) != first
    assert "No records" not in captions(page)


@pytest.mark.parametrize(
    ("start", "end", "why"),
    [
        ("2031-01-01T00:00", "2031-01-02T00:00",
         "No records from 2031-01-01 00:00 to 2031-01-02 00:00. Showing 2024-"),
        ("garbage", "2024-02-29T14:00",
         "In the address, from is 'garbage', which is no date and time. Showing 2024-"),
        ("2024-02-29T14:00", "2024-02-29T13:00",
         "The time in the address ends before it begins. Showing 2024-"),
    ],
)  # fmt: skip
def test_range_that_cannot_be_shown_is_dropped_and_said(start, end, why, bundled, open_page):
    page = open_page(QUEUE_MANAGER, bundled, **{"from": start, "to": end})
    assert not page.exception
    (message,) = page.warning
    assert message.value.replace("\\", "").startswith(why)
    assert asked(page)[0].startswith("2024")


def brushed(brush):
    import streamlit as st

    from app.dashboard import period

    st.session_state["chart"] = {"selection": {"brush": brush}}
    period.dragged("chart")()


def test_brush_zooms_to_whole_minutes_and_a_cleared_one_changes_nothing():
    ends = {"start": [1709213470000.5, 1709214011000]}
    page = AppTest.from_function(brushed, args=(ends,)).run()
    assert not page.exception
    assert asked(page) == ("2024-02-29T13:31", "2024-02-29T13:41")
    page = AppTest.from_function(brushed, args=({},)).run()
    assert not page.exception
    assert not page.query_params


def test_ranges_are_whole_minutes():
    moment = datetime(2024, 2, 29, 13, 31, 10)
    assert Range.around(moment, moment) == (
        datetime(2024, 2, 29, 13, 31), datetime(2024, 2, 29, 13, 32)
    )  # fmt: skip


@pytest.mark.parametrize("view", [v for v in VIEWS if v.owner], ids=lambda view: view.path)
def test_every_chart_over_time_can_be_brushed(view, bundled, open_page):
    page = open_page(view, bundled, qm=["SYN1/SYQ2"])
    lines = [spec for spec in specs(page) if "time, UTC" in json.dumps(spec)]
    assert all("brush" in json.dumps(spec.get("params", [])) for spec in lines)


def test_a_page_has_one_clock(bundled, open_page):
    page = open_page(LPARS, bundled, **SYSTEM, **HALF_HOUR, clock="local")
    assert not page.exception
    assert asked(page) == tuple(HALF_HOUR.values())  # the address stays in UTC
    assert [field.value.isoformat()[:16] for field in page.datetime_input] == [
        "2024-02-29T08:31", "2024-02-29T09:01"
    ]  # fmt: skip
    assert {field.label for field in page.datetime_input} == {"From, UTC-5", "To, UTC-5"}
    assert "Times are local, UTC-5." in captions(page)
    charts = [spec for spec in specs(page) if "time, UTC" in json.dumps(spec)]
    assert charts
    assert all('"time, UTC-5"' in json.dumps(spec) for spec in charts)
    axes = [
        layer["encoding"]["x"]["scale"]["domain"]
        for spec in charts
        for layer in spec.get("layer", ())
        if "domain" in layer.get("encoding", {}).get("x", {}).get("scale", {})
    ]
    assert {(start["hours"], end["hours"]) for start, end in axes} == {(8, 9)}
    labels = [
        one["label"]
        for table in page.dataframe
        for one in json.loads(table.proto.columns).values()
        if "UTC" in str(one.get("label"))
    ]
    assert labels and all(label.endswith(", UTC-5") for label in labels)
    first = next(table.value for table in page.dataframe if "hour" in table.value.columns)
    assert (first["hour"].dt.hour < 10).all()  # the records are of 13:00 to 15:00 UTC
    page.datetime_input[0].set_value(datetime(2024, 2, 29, 8, 40)).run()
    assert asked(page) == ("2024-02-29T13:40", "2024-02-29T14:01")
    elsewhere = open_page(QUEUE_MANAGER, bundled, qm=["SYN1/SYQ1"], clock="local")
    assert not elsewhere.exception


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("set utc_offset_minutes = null", "the records of this time do not say what the local"),
        ("set utc_offset_minutes = -240 where subject = 'lpar'", "these systems have different"),
    ],
)  # fmt: skip
def test_a_page_without_one_local_time_stays_in_utc_and_says_so(
    change, why, bundled, tmp_path, open_page
):
    file = altered(bundled, tmp_path, [f"update marts.fct_usage_hour {change}"])
    page = open_page(LPARS, file, **SYSTEM, **HALF_HOUR, clock="local")
    assert f"Times are UTC: {why}" in captions(page)
    assert {field.label for field in page.datetime_input} == {"From, UTC", "To, UTC"}


def test_systems_whose_clocks_change_in_the_range_show_each_time_as_it_was(
    bundled, tmp_path, open_page
):
    changed = (
        "update marts.fct_usage_hour set utc_offset_minutes = -240"
        " where hour_utc >= '2024-02-29 14:00'"
    )
    file = altered(bundled, tmp_path, [changed])
    both = {"systems": ["PLEX1/SY1", "PLEX1/SY2"]}
    page = open_page(LPARS, file, **both, **HALF_HOUR, clock="local")
    assert not page.exception
    said = captions(page).replace("\\", "")
    assert "Times are local, UTC-5, UTC-4 from 2024-02-29 10:00 on." in said
    assert [field.value.isoformat()[:16] for field in page.datetime_input] == [
        "2024-02-29T08:31", "2024-02-29T10:01"
    ]  # fmt: skip
    assert {field.label for field in page.datetime_input} == {"From, UTC-5/-4", "To, UTC-5/-4"}
    charts = [json.dumps(spec) for spec in specs(page) if "time, UTC" in json.dumps(spec)]
    assert charts
    assert all('"time, UTC-5/-4"' in chart for chart in charts)
    page.datetime_input[1].set_value(datetime(2024, 2, 29, 8, 59)).run()
    assert asked(page) == ("2024-02-29T13:31", "2024-02-29T13:59")
    assert "Times are local, UTC-5." in captions(page)


def bands(page):
    """Return in how many charts there are bands."""
    return sum('"from"' in json.dumps(spec["layer"][0]) for spec in specs(page) if "layer" in spec)


def test_runs_are_bands(bundled, open_page):
    with duckdb.connect(str(bundled), read_only=True) as db:
        (start,) = db.execute(
            "select min(start_utc) from marts.fct_run where list_contains(lpars, 'MVS1')"
        ).fetchone()
    at = {"from": f"{start:%Y-%m-%dT%H:%M}", "to": f"{start:%Y-%m-%dT%H}:59"}
    page = open_page(LPARS, bundled, systems=["PERFPLEX/MVS1"], **at)
    assert not page.exception
    assert bands(page) >= 4
    assert "Shaded: benchmark runs." in captions(page)


def test_too_many_runs_are_said_and_not_drawn(bundled, open_page, monkeypatch):
    monkeypatch.setattr("app.dashboard.systems._MOST_RUNS", 0)
    page = open_page(LPARS, bundled, systems=["PERFPLEX/MVS1"])
    assert bands(page) == 0
    assert "too many to shade" in captions(page)


def chosen(page, key):
    return page.selectbox(key=key).value


def table(page, *columns):
    return next(one.value for one in page.dataframe if set(columns) <= set(one.value.columns))


def test_drilling_keeps_system_time_and_class(bundled, open_page, monkeypatch):
    gone = {}
    monkeypatch.setattr(
        "app.dashboard.components.go", lambda path, **to: gone.update(to, path=path)
    )
    monkeypatch.setattr(
        "app.dashboard.components.pick",
        lambda frame, name, **_: frame.row(0, named=True) if name == "service_classes" else None,
    )
    page = open_page(view_of("workload"), bundled, **SYSTEM, **HALF_HOUR)
    assert not page.exception
    assert gone.pop("path") == "address-spaces"
    assert gone.pop("service_class") in page.selectbox(key="service_class").options
    assert gone == {"origin": "simulated", **SYSTEM, **HALF_HOUR}


def test_class_from_a_link_limits_address_spaces(bundled, open_page):
    page = open_page(view_of("address-spaces"), bundled, **SYSTEM, service_class="STCHI")
    assert chosen(page, "service_class") == "STCHI"
    assert set(table(page, "service_class", "work_type").service_class) == {"STCHI"}


def test_choice_without_records_stays_and_says_so(bundled, open_page):
    page = open_page(view_of("address-spaces"), bundled, **SYSTEM, job="NOSUCH")
    assert not page.exception
    assert chosen(page, "job") == "NOSUCH"
    assert "No SMF 30 intervals in this time range: " in captions(page)


def test_click_chooses_on_the_same_page():
    def clicked():
        import polars as pl
        import streamlit as st

        from app.dashboard import systems

        rows = pl.DataFrame({"job_name": ["A", "B"], "system": ["P/1", "P/2"]})
        systems._choose({"job": "job_name", "systems": "system"}, rows, 1)
        st.text(f"{st.session_state['job']} {st.session_state['systems']}")

    page = AppTest.from_function(clicked).run()
    assert not page.exception
    assert page.text[0].value == "B ['P/2']"


def test_sysplex_and_machine_show_other_systems(bundled, open_page):
    page = open_page(LPARS, bundled, **SYSTEM)
    assert set(table(page, "hiperdispatch").system) == {"PLEX1/SY1", "PLEX1/SY2"}
    assert {"SY1", "SY2", "CF1"} <= set(table(page, "partition").partition)


@pytest.mark.parametrize(
    "view",
    [v for v in VIEWS if v.owner == "system" and v.path != "rmf-reports"],  # which has none of it
    ids=lambda v: v.path,
)
def test_links_of_a_page_lead_on(view, bundled, open_page):
    page = open_page(view, bundled, **SYSTEM, **HALF_HOUR)
    links = [link.proto for link in page.get("page_link")]
    assert links
    for link in links:
        assert "from=2024-02-29T13%3A31" in link.query_string


def test_page_without_records_leads_to_owners_that_have_some(bundled, open_page):
    page = open_page(view_of("queues"), bundled, qm=["SYN1/SYQ3"])
    assert not page.exception
    assert "There are some here" in page.info[0].value
    links = {link.proto.label: link.proto.query_string for link in page.get("page_link")}
    assert any(label.startswith("SYN1/SYQ2, to ") for label in links)
    assert all("qm=" in query and "from=" in query for query in links.values())


def test_health_is_said_in_words_with_its_limit(bundled, open_page):
    page = open_page(view_of("mq-health"), bundled, qm=["SYN1/SYQ1"])
    assert not page.exception
    (alarm,) = page.error
    said = alarm.value.replace("\\", "")
    assert said.startswith("1 alarm and 5 warnings in 24 figures of")
    assert "SYN1/SYQ1 BP 2: Fewest free buffers 4.997 %, limit >= 5 %" in said
    assert "1 could not be judged" in said


@pytest.mark.parametrize("path", ["mq-health", "today"])
@pytest.mark.parametrize(("unknown", "kind"), [(0, "success"), (3, "info")])
def test_health_is_green_only_where_every_figure_could_be_judged(
    unknown, kind, path, bundled, open_page, monkeypatch
):
    def judged(reader, scope, *of):
        found = verdicts(reader, scope, *of)
        made = ["within"] * (found.height - unknown) + ["not judged"] * unknown
        known = pl.col("value", "beyond", "intervals").fill_null(0)
        return found.with_columns(known, verdict=pl.Series(made))

    monkeypatch.setattr("app.dashboard.health.verdicts", judged)
    monkeypatch.setattr("app.results.queries.health.verdicts", judged)
    page = open_page(view_of(path), bundled)
    assert not page.exception
    said = {of: [one.value for one in page.get(of) if "0 alarms and 0 warnings" in one.value]
            for of in ("success", "info")}  # fmt: skip
    assert said.pop(kind)
    assert not any(said.values())


def test_health_with_a_wrong_file_of_limits_names_it(bundled, open_page, monkeypatch):
    monkeypatch.setenv("PERFHOUSE_HEALTH", "/no/such.toml")
    for path in ("system-health", "lpars", "today"):
        page = open_page(view_of(path), bundled)
        assert not page.exception
        assert any("no such file" in one.value for one in page.warning)


OWN = """
title = "Night batch"
about = "What the batch used."
records = "address spaces (SMF 30)"
page = "Systems"
tab = "Batch"
tiles = [{ label = "CPU", unit = "s", value = "cpu_seconds", rows = "fct_address_space_interval" }]
[[section]]
title = "Over time"
charts = [
  { title = "Used", unit = "processors", value = "cpu_seconds / s", rows = "fct_address_space_interval" },
]
"""  # noqa: E501


def test_a_team_has_pages_of_its_own(bundled, open_page, tmp_path, monkeypatch):
    monkeypatch.setenv("PERFHOUSE_PAGES", str(tmp_path))
    (tmp_path / "night_batch.toml").write_text(OWN)
    page = open_page(view_of("night-batch"), bundled, **SYSTEM)
    assert not page.exception
    assert [tile.label for tile in page.metric] == ["CPU"]
    assert len(specs(page)) == 1
    assert "Batch" in [link.proto.label for link in page.get("page_link")]
    for word, change in (
        ("vaule", ("value =", "vaule =")),
        ("nosuch", ('cpu_seconds"', 'nosuch"')),
        ("gone", ('tab = "Batch"', 'links = { gone = "There" }')),
    ):
        (tmp_path / f"x{word}.toml").write_text(OWN.replace(*change))
        broken = open_page(view_of(f"x{word}"), bundled, **SYSTEM)
        assert not broken.exception
        assert f"x{word}.toml" in broken.warning[0].value
        assert word in broken.warning[0].value.rpartition(".toml")[2]


@cases
def test_what_is_wrong_with_a_page_is_said(old, new, why, tmp_path):
    file = tmp_path / "page.toml"
    file.write_text(OWN.replace(old, new))
    with pytest.raises(SettingsError, match=why):
        page_of(file)
