"""Charts are plain functions of frames; the tests read their specifications."""

import html
import re
from datetime import UTC, datetime, timedelta

import altair as alt
import polars as pl
import pytest
import vl_convert

from app.charts import published, runs, sizes  # noqa: F401 (cases)
from app.charts.bars import bars
from app.charts.style import Places, columns_of, decades
from app.charts.time import Clock, Span, over_time
from app.results.labels import short_labels
from tests.kit.cases import cases

START = datetime(2026, 3, 1, 10, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
BY_UTC = Clock()


def intervals(*minutes, **columns):
    """Return one-minute intervals of one queue manager, at these minutes after START."""
    return pl.DataFrame(
        {
            "queue_manager": ["S/Q"] * len(minutes),
            "start": [START + m * MINUTE for m in minutes],
            "end": [START + (m + 1) * MINUTE for m in minutes],
            **columns,
        }
    )


def data(layer, spec):
    return spec["datasets"][layer["data"]["name"]]


FIGURES = pl.DataFrame(
    {
        "configuration": ["A", "A", "B", "B"],
        "file_size_mb": [1, 1024, 1, 1024],
        "value": [20.0, 98.0, 15.0, 99.0],
        "ratio": [1.0, 1.0, 0.75, 1.01],
        "is_suspect": [False, False, True, False],
        "note": [None, None, "JIT", None],
    }
)
RUNS = pl.DataFrame(
    {"start_utc": [START, START + MINUTE], "configuration": ["x", "x"], "value": [1.0, 2.0],
     "is_compared": [True, False]}
)  # fmt: skip
#: Two configurations: one with two runs a side, one with a run against a figure.
SIDES = pl.DataFrame(
    {
        "name": ["10 MB", "10 MB", "9 MB", "9 MB"],
        "side": ["baseline", "candidate"] * 2,
        "value": [10.0, 11.0, 20.0, 20.0],
        "low": [9.0, 10.0, None, None],
        "high": [11.0, 12.0, None, None],
        "values": [[9.5, 10.5], [10.5, 11.5], [20.0], [20.0]],
    }
)
CHANGES = pl.DataFrame(
    {"name": ["a", "b"], "change": [12.0, -3.0], "low": [-99.0, -4.0], "high": [9e3, -2.0],
     "verdict": ["undecided", "better"]}
)  # fmt: skip
SOURCES = pl.DataFrame(
    {
        "source": ["published", "simulated", "predicted"],
        "value": [10.0, 11.0, 10.5],
        "low": [None, 10.0, 9.0],
        "high": [None, 12.0, 12.0],
        "difference": [None, "10.0 %", "5.0 %"],
        "file_size_mb": [1.0] * 3,
        "name": ["CHIN"] * 3,
    }
)
PARTS = pl.DataFrame({"n": ["x", "x"], "s": [1.0, 2.0], "cause": ["other", "log"]})
TWO = intervals(0, 1, series=["put", "get"], value=[5.0, 0.0])
BAND = pl.DataFrame({"start": [START], "end": [START + MINUTE], "run_id": ["r1"]})
SECOND = BAND.with_columns(end=START + MINUTE / 60, campaign=pl.lit("c"))


def later(days):
    """Return runs, the last of them so many days after the first."""
    return RUNS.with_columns(start_utc=pl.Series([START, START + timedelta(days=days)]))


def clock(*minutes, change=START + 2 * MINUTE):
    """Return a clock that is so far from UTC, at first and after the change."""
    times = [datetime(1, 1, 1), change.replace(tzinfo=None)]
    offsets = [(time, by * MINUTE) for time, by in zip(times, minutes, strict=False)]
    return Clock(tuple(offsets), "UTC+5:30" if minutes == (330,) else "local")


def lines(frame, minutes=2, shown_by=BY_UTC, **options):
    span = Span(START, START + minutes * MINUTE, shown_by)
    return over_time(frame, unit="put/s", span=span, series=["put", "get"], **options)


@cases
def test_a_chart_is_drawn_as_before_and_vega_lite_takes_it(chart, snapshot):
    spec = chart.to_dict()
    (alt.LayerChart if "layer" in spec else alt.Chart).from_dict(spec, validate=True)
    assert spec == snapshot


def test_tooltips_give_the_interval_in_utc():
    frame = intervals(0, series=["put"], value=[5.0])
    spec = over_time(frame, unit="put/s", span=Span.of(frame), series=["put"]).to_dict()
    drawn = vl_convert.vegalite_to_svg(spec)
    assert "series: put; put/s: 5; UTC: 2026-03-01 10:00:00 to 10:01:00" in drawn


@pytest.mark.parametrize(("minutes", "most"), [(90, 90), (1440, 151)])
def test_of_many_intervals_the_highest_tell_their_figures(minutes, most):
    figures = [float(minute % 10) for minute in range(minutes)]
    frame = intervals(*range(minutes), series=["a"] * minutes, value=figures)
    spec = over_time(frame, unit="/s", span=Span.of(frame), series=["a"]).to_dict()
    line, told = (data(layer, spec) for layer in spec["layer"])
    assert [row["value"] for row in line[:minutes]] == figures
    assert len(told) <= most
    assert [row["value"] for row in told].count(9.0) == minutes / 10
    assert {(row["start"], row["value"]) for row in told} <= {
        (row["start"], row["value"]) for row in line
    }


@cases
def test_short_labels(labels, short):
    assert list(short_labels(labels).values()) == short
    assert list(short_labels(labels)) == labels


def test_long_names_of_bars_have_two_lines():
    names = ["z16", 'ECDHE_RSA_AES_256_CBC_SHA384, new_keys 1MB, workload "rekey", z16']
    frame = pl.DataFrame({"name": names, "seconds": [1.0, 2.0]})
    picture = vl_convert.vegalite_to_svg(
        bars(frame, name="name", value="seconds", unit="s", label_width=260).to_dict()
    )
    lines = re.findall(r">([^<>]*z16|ECDHE[^<>]*)<", picture)
    assert [html.unescape(line) for line in lines] == [
        "z16",
        "ECDHE_RSA_AES_256_CBC_SHA384,",
        'new_keys 1MB, workload "rekey", z16',
    ]


def places_of(places, series):
    """Return the place of each series of a chart."""
    return {name: place for place, name in enumerate(places.domain(series)) if name.strip()}


@cases
def test_a_series_has_one_colour_wherever_it_is_drawn(charts):
    places, known = Places(), {}
    for series in charts:
        found = places_of(places, series)
        assert set(found) == set(series) and len(set(found.values())) == len(series)
        assert found.items() >= {k: v for k, v in known.items() if k in found}.items()
        known |= found
    assert len(set(known.values())) == len(known)  # and nobody else has it, up to eight


def test_a_series_mostly_has_the_same_colour_in_another_session():
    alone = [places_of(Places(), [name])[name] for name in ("SY1", "SY2", "MQA1MSTR")]
    assert [places_of(Places(), [name])[name] for name in ("SY1", "SY2", "MQA1MSTR")] == alone
    assert len(set(alone)) > 1


def test_more_series_than_colours_all_have_places():
    places = Places()
    names = [f"JOB{n}" for n in range(11)]
    first = places_of(places, names)
    assert sorted(first.values()) == list(range(11))
    # where some share a colour, they have different ones in a chart with both
    assert len(set(places_of(places, [*names[:3], "NEW1", "NEW2"]).values())) == 5


@pytest.mark.parametrize(
    ("before", "after", "starts", "ends"),
    [
        (60, 120, ["11:00", "11:01", "12:02", "12:03"], ["11:01", "11:02", "12:03", "12:04"]),
        (0, -60, ["10:00", "10:01", "09:02", "09:03"], ["10:01", "10:02", "09:03", "09:04"]),
    ],
)
def test_each_interval_is_shown_by_the_clock_of_its_time(before, after, starts, ends):
    frame = intervals(0, 1, 2, 3, series=["x"] * 4, value=[1.0, 2.0, 3.0, 4.0])
    own = clock(before, after)
    shown = own.shown(frame)
    assert shown["start"].dt.strftime("%H:%M").to_list() == starts
    assert shown["end"].dt.strftime("%H:%M").to_list() == ends
    local = [own.local(at) for at in frame["start"]]  # which another hour may have, too
    assert [own.local(own.utc(at)) for at in local] == local
    span = Span(START, START + 4 * MINUTE, own)
    spec = over_time(frame, unit="s", span=span, series=["x"]).to_dict()
    lines = spec["layer"][0]
    assert lines["encoding"]["detail"] == {"field": "part"}  # an hour that comes twice is two lines
    parts = {part: [] for part in (0, 1)}
    for row in data(lines, spec):
        parts[row["part"]].append(row["value"])
    assert parts == {0: [1.0, 2.0, 2.0, None], 1: [3.0, 4.0, 4.0, None]}


@cases
def test_columns_of_a_legend_leave_room_for_its_names(names, columns):
    assert columns_of(names) == columns


def test_a_logarithmic_axis_goes_from_decade_to_decade(snapshot):
    ends = [(0.6, 60.0), (3.0, 8.0), (1.0, 10.0), (10.0, 10.0), (0.01, 90_000.0)]
    axes = {str(end): decades("MB/s", *end) for end in ends}
    shown = {end: {n: part.to_dict() for n, part in axis.items()} for end, axis in axes.items()}
    assert shown == snapshot
