"""Run manifests and plain measurements: values, and the message for each fault."""

import json
import re
import tomllib
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.pipeline.places import ROOT
from ingest.formats import published
from ingest.formats.bench import manifest, measurements
from ingest.formats.bench.declared import Run, _Shared
from ingest.formats.bench.factors import ALIASES
from ingest.formats.bench.manifest import FACTORS, SCHEMAS
from ingest.formats.bench.manifest_runs import Interval, overlap
from ingest.formats.published import CELL
from tests.kit.cases import cases

TOML = b"""# two repetitions, and one run of another configuration
perfhouse_manifest = 1
campaign = "mft-z15"
time_zone = "Europe/London"
factors = { network = "10Gb", tls = "TLS 1.2", latency_ms_oneway = 2.5, x_agents = 3 }
labels = { machine = "z15", mq_level = "9.2.0", git_revision = "4e1f2ab", cores = 12 }
scope = { lpars = ["MVS1"], volumes = ["MQ0001", "MQ0002", "MQ0001"] }
workload = ["MQ1*", "TCPIP"]

[[run]]
start = 2021-07-01T10:00:00
stop = 2021-07-01T10:02:00.5
factors = { file_size_mb = 10, mode = "binary", zhpf = true }
scope = { address_spaces = ["AGNT1", "MQ1CHIN"], report_classes = "RMFT" }
measurement = [
  { metric = "bytes", value = 2147483648, unit = "B" },
  { metric = "rate", value = 71.15, unit = "MB/s", more_is_better = true },
  { metric = "cost_per_GB", value = 1.9, unit = "s", more_is_better = false, address_space = "A" },
]

[[run]]
start = 2021-07-01T11:02:00.5+02:00
stop = 2021-07-01T11:04:00+02:00
steady_start = 2021-07-01T10:03:00
factors = { file_size_mb = 10, mode = "binary", zhpf = true }

[[run]]
run_id = "text"
repetition = 7
time_zone = "-05:00"
start = 2021-07-01T10:04:00
stop = 2021-07-01T10:05:00
factors = { mode = "text", network = "1Gb" }
labels = { machine = "z16" }
scope = { lpars = ["MVS2"] }
workload = ["report class  RMQ", "report class RMFT"]
"""

RUN = {"start": "2021-03-01T10:00:00Z", "stop": "2021-03-01T10:02:00Z"}


def document(*runs, **keys):
    return {"perfhouse_manifest": 1, "campaign": "c", "run": list(runs or (RUN,))} | keys


def parse(content):
    return manifest.parse(json.dumps(content).encode() if isinstance(content, dict) else content)


def reasons(content):
    return [rejected.reason for rejected in parse(content).rejected]


# --- what is read -----------------------------------------------------------------------------


def test_the_runs_of_a_manifest():
    parsed = parse(TOML)
    assert parsed.kind == manifest.recognise(TOML) == "run_manifest"
    assert parsed.rejected == []
    assert {table: dict(frame.schema) for table, frame in parsed.tables.items()} == SCHEMAS
    at = datetime.fromisoformat
    assert parsed.tables["bench_run"].rows() == [
        (1, "mft-z15-20210701T090000", "mft-z15", 1, at("2021-07-01T09:00"),
         at("2021-07-01T09:02:00.5"), None, None, at("2021-07-01T10:00"), "Europe/London", 60),
        (2, "mft-z15-20210701T090200", "mft-z15", 2, at("2021-07-01T09:02:00.5"),
         at("2021-07-01T09:04"), at("2021-07-01T09:03"), at("2021-07-01T09:04"),
         at("2021-07-01T11:02:00.5"), "+02:00", 120),
        (3, "text", "mft-z15", 7, at("2021-07-01T15:04"), at("2021-07-01T15:05"), None, None,
         at("2021-07-01T10:04"), "-05:00", -300),
    ]  # fmt: skip


def test_runs_inherit_factors_scope_and_labels_of_the_file():
    tables = parse(TOML).tables
    assert tables["bench_run_factor"].drop("run_id").rows() == [
        *((number, *level) for number in (1, 2) for level in (
            ("network", "10Gb", None), ("tls", "TLS 1.2", None),
            ("latency_ms_oneway", "2.5", 2.5), ("x_agents", "3", 3), ("file_size_mb", "10", 10),
            ("mode", "binary", None), ("zhpf", "Y", None))),
        *((3, *level) for level in (
            ("network", "1Gb", None), ("tls", "TLS 1.2", None), ("latency_ms_oneway", "2.5", 2.5),
            ("x_agents", "3", 3), ("mode", "text", None))),
    ]  # fmt: skip
    shared = [("lpar", "MVS1"), ("volume", "MQ0001"), ("volume", "MQ0002")]
    own = [("address_space", "AGNT1"), ("address_space", "MQ1CHIN"), ("report_class", "RMFT")]
    work = [("workload", "MQ1*"), ("workload", "TCPIP")]
    classes = [("workload", "report class RMQ"), ("workload", "report class RMFT")]
    assert tables["bench_run_scope"].drop("run_id").rows() == [
        *((1, *thing) for thing in shared + own + work),
        *((2, *thing) for thing in shared + work),
        *((3, *thing) for thing in [("lpar", "MVS2"), *shared[1:], *classes]),
    ]
    labels = tables["bench_run_label"].filter(record_no=3)["label", "value"].rows()
    assert labels == [("machine", "z16"), ("mq_level", "9.2.0"), ("git_revision", "4e1f2ab"),
                      ("cores", "12")]  # fmt: skip


def test_measurements_of_a_run():
    frame = parse(TOML).tables["bench_measurement"]
    run = (1, "mft-z15-20210701T090000")
    assert frame.rows() == [
        (*run, "bytes", 2147483648, "B", None, None, None),
        (*run, "rate", 71.15, "MB/s", True, None, None),
        (*run, "cost_per_GB", 1.9, "s", False, "A", None),
    ]


def test_json_and_toml_give_the_same_rows():
    same = json.dumps(tomllib.loads(TOML.decode()), default=datetime.isoformat).encode()
    assert manifest.recognise(same) == "run_manifest"
    first, second = parse(TOML), parse(same)
    assert second.rejected == []
    for table, frame in first.tables.items():
        assert frame.equals(second.tables[table]), table


def test_factors_are_the_columns_of_a_configuration():
    settings = {"agent_window_size", "agent_frame_size", "agent_checkpoint_interval", "block_size",
                "jit_level", *ALIASES.values()}  # fmt: skip
    assert len(FACTORS) == 33 + len(ALIASES)
    assert set(FACTORS) - settings < {column.name for column in CELL}
    assert settings < set(FACTORS)
    assert {"file_size_mb", "zhpf", "machine", "cpus"} <= set(FACTORS)
    assert not {"metric", "value", "printed", "address_space"} & set(FACTORS)


def test_dbt_reads_former_names_of_factors_as_they_are_declared():
    macros = (ROOT / "dbt/macros/run_configurations.sql").read_text()
    stated = re.findall(r'\("(\w+)", "\w+", "(x_\w+)"\)', macros)
    assert {former: name for name, former in stated} == ALIASES


# --- faults -----------------------------------------------------------------------------------

#: What is changed in a good run or left out of it, and words of the reason around " ... ".
FAULTS = Path(__file__).with_name("manifest_faults.jsonl").read_text().splitlines()


@pytest.mark.parametrize("line", FAULTS)
def test_a_run_with_a_fault_is_left_out_and_the_reason_names_the_key(line):
    fault = json.loads(line)
    changed = fault["run"]
    if isinstance(changed, dict):
        changed = {k: v for k, v in RUN.items() if k != fault.get("without")} | changed
    good = RUN | {"start": "2021-03-02T10:00:00Z", "stop": "2021-03-02T10:02:00Z"}
    parsed = parse(document(changed, good))
    assert parsed.tables["bench_run"]["record_no"].to_list() == [2]
    (rejected,) = parsed.rejected
    assert rejected.record_no == 1
    assert "\n" not in rejected.reason
    first, _, last = fault["reason"].partition(" ... ")
    assert first in rejected.reason
    assert rejected.reason.endswith(last)


@cases
def test_a_file_with_a_fault_is_rejected_as_a_whole(content, line, reason):
    parsed = parse(content)
    assert parsed.tables == {}
    (rejected,) = parsed.rejected
    assert rejected.line == line
    assert reason in rejected.reason


def test_a_run_without_a_campaign():
    assert reasons({"perfhouse_manifest": 1, "run": [RUN]}) == ["run 1: key campaign is missing"]


def test_the_line_of_a_run_in_toml():
    broken = TOML.replace(b'"text", network', b'"txt", network')
    (rejected,) = parse(broken).rejected
    assert rejected.line == 1 + TOML[: TOML.index(b'[[run]]\nrun_id = "text"')].count(b"\n")
    assert rejected.reason == "run 3: key factors.mode is 'txt', not one of binary, text"


def test_a_measurement_with_a_fault_does_not_reject_its_run():
    good = {"metric": "rate", "value": 1, "unit": "MB/s"}
    run = RUN | {"measurement": [good | {"value": float("nan")}, good | {"vlaue": 1}, good, 3]}
    parsed = parse(document(run))
    assert parsed.tables["bench_measurement"].height == 1
    assert [rejected.reason.split(": ", 2)[1] for rejected in parsed.rejected] == [
        "measurement 1", "measurement 2", "measurement 4"]  # fmt: skip
    assert "did you mean value?" in parsed.rejected[1].reason


# --- clocks -----------------------------------------------------------------------------------


def test_directions_of_a_metric_agree_and_follow_from_its_name_and_unit():
    p95 = {"metric": "p95", "value": 4, "unit": "ms"}
    given = [p95, p95, p95 | {"metric": "x", "more_is_better": True}, p95 | {"metric": "y"},
             p95 | {"metric": "x", "address_space": "A", "more_is_better": False}]  # fmt: skip
    parsed = parse(document(RUN | {"measurement": given}))
    kept = parsed.tables["bench_measurement"].select("metric", "more_is_better")
    opposite = "key more_is_better is false, and an earlier measurement of 'x' says the opposite"
    assert kept.rows() == [("p95", False), ("x", True), ("y", False)]
    assert [one.reason for one in parsed.rejected] == [
        "run 1: measurement 2: 'p95' is measurement 1 of the run, too",
        f"run 1: measurement 5: {opposite}",
    ]


def test_a_manifest_whose_first_key_is_mistyped_is_read_as_one():
    content = b"perfhouse_manifst = 1\n[[run]]\nstart = 2021-03-01T10:00:00Z\n"
    assert manifest.recognise(content)
    assert "did you mean perfhouse_manifest?" in parse(content).rejected[0].reason


@cases
def test_a_local_time_that_occurs_twice_or_never(start, reason):
    stop = datetime.fromisoformat(start).replace(hour=4).isoformat()
    found = reasons(document({"start": start, "stop": stop}, time_zone="Europe/London"))
    assert (reason is None) == (found == [])
    assert reason is None or reason in found[0]


# --- overlaps ---------------------------------------------------------------------------------


def interval(start, stop, *lpars, name="r"):
    day = datetime(2021, 3, 1)
    return Interval(name, day.replace(minute=start), day.replace(minute=stop), frozenset(lpars))


@cases
def test_runs_overlap_if_they_share_time_and_may_share_an_lpar(one, other, overlaps):
    assert overlap(one, [other]) == (other if overlaps else None)
    assert overlap(other, [one]) == (one if overlaps else None)


def test_a_run_that_overlaps_an_earlier_one_is_left_out():
    late = RUN | {"start": "2021-03-01T10:01:59Z", "stop": "2021-03-01T10:05:00Z"}
    (reason,) = reasons(document(RUN, late))
    assert reason.startswith(
        "run 2: overlaps run 'c-20210301T100000', 2021-03-01 10:00:00 to 2021-03-01 10:02:00 UTC: "
    )
    apart = [RUN | {"scope": {"lpars": ["A"]}, "run_id": "one"},
             late | {"scope": {"lpars": ["B"]}}]  # fmt: skip
    assert reasons(document(*apart)) == []


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.integers(0, 50), st.integers(1, 30), st.sampled_from(["", "A", "B"])),
        min_size=1,
        max_size=12,
    )
)
def test_a_run_is_kept_if_it_overlaps_no_earlier_kept_run(spans):
    kept, runs = [], []
    for minute, length, lpar in spans:
        stop = minute + length
        run = {"start": f"2021-03-01T{minute // 60:02d}:{minute % 60:02d}:00Z",
               "stop": f"2021-03-01T{stop // 60:02d}:{stop % 60:02d}:00Z",
               "run_id": f"r{len(runs)}", "scope": {"lpars": [lpar] if lpar else []}}  # fmt: skip
        runs.append(run)
        if not any(
            minute < end and begin < stop and (not lpar or not other or lpar == other)
            for begin, end, other, _ in kept
        ):
            kept.append((minute, stop, lpar, run["run_id"]))
    found = parse(document(*runs)).tables["bench_run"]["run_id"].to_list()
    assert found == [name for *_, name in kept]


def test_a_label_that_cannot_be_stored():
    assert "is not UTF-8" in reasons(document(RUN | {"labels": {"\ud800": "a"}}))[0]
    assert "is not UTF-8" in reasons(document(RUN | {"run_id": "\ud800"}))[0]


def test_two_runs_with_the_same_name():
    later = {"start": "2021-03-02T10:00:00Z", "stop": "2021-03-02T10:02:00Z", "run_id": "a"}
    assert reasons(document(RUN | {"run_id": "a"}, later)) == [
        "run 2: key run_id is 'a', which an earlier run has too"
    ]


# --- measurements -----------------------------------------------------------------------------

CSV = b"""metric,value,unit,run_id,time,more_is_better,address_space
rate,71.15,MB/s,r1,,true,
messages,1e3,1,,2021-03-01T11:00:00+01:00,,MQ1CHIN
"""


def test_measurements_of_a_csv_file():
    parsed = measurements.parse(CSV)
    assert measurements.recognise(CSV) == parsed.kind == "measurements_csv"
    assert parsed.tables["bench_measurement"].rows() == [
        (1, "r1", "rate", 71.15, "MB/s", True, None, None),
        (2, None, "messages", 1000, "1", None, "MQ1CHIN", datetime(2021, 3, 1, 10)),
    ]
    assert parsed.rejected == []


@cases
def test_a_measurement_with_a_fault_is_left_out(line, reason):
    parsed = measurements.parse(CSV + line + b"\nrate,2,MB/s,r2,,,\n")
    assert parsed.tables["bench_measurement"]["record_no"].to_list() == [1, 2, 4]
    (rejected,) = parsed.rejected
    assert (rejected.line, rejected.record_no) == (4, 3)
    assert reason in rejected.reason


def test_measurements_of_a_json_file():
    one = {"metric": "rate", "value": 1, "unit": "MB/s", "more_is_better": None}
    given_ = {"perfhouse_measurements": 1, "run_id": "r1",
              "measurements": [one, one | {"run_id": "r2"}, 5, one | {"valu": 1}]}  # fmt: skip
    content = json.dumps(given_).encode()
    assert measurements.recognise(content) == "measurements_json"
    parsed = measurements.parse(content)
    assert parsed.tables["bench_measurement"]["record_no", "run_id"].rows() == [
        (1, "r1"), (2, "r2")]  # fmt: skip
    assert [rejected.record_no for rejected in parsed.rejected] == [3, 4]


def test_json_whose_first_key_is_misspelt_is_what_it_nearly_is():
    for read, kind in ((manifest, "run_manifest"), (measurements, "measurements_json")):
        key = "perfhouse_manifest" if read is manifest else "perfhouse_measurements"
        assert read.recognise(json.dumps({key.replace("fh", "h"): 1}).encode()) == kind
        other = b'{"perf_house": 1}', b'{"%s' % key[:-4].encode()
        assert [read.recognise(head) for head in other] == [None, None]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"perfhouse_measurements": 3}, "is 3, but only 1 is supported"),
        ({"measurements": {}}, "key measurements is not a list"),
        ({"run": 1}, "key run is not one of"),
    ],
)
def test_a_json_file_with_a_fault(change, reason):
    given_ = {"perfhouse_measurements": 1, "measurements": []} | change
    parsed = measurements.parse(json.dumps(given_).encode())
    assert reason in parsed.rejected[0].reason


# --- any bytes --------------------------------------------------------------------------------

HEADS = [b"", b"{}", b"metric,value,unit\n", b"a,b\n1,2\n", b"\x00\x12\x00\x00\x5e\x02",
         b'{"run": []}', b"run = 1\n",
         (",".join(column.name for column in CELL) + "\n").encode()]  # fmt: skip


@pytest.mark.parametrize("head", HEADS)
def test_other_files_are_not_recognised(head):
    assert manifest.recognise(head) is None
    assert measurements.recognise(head) is None
    assert published.recognise(TOML) is None
    assert published.recognise(CSV) is None


@settings(max_examples=80)
@given(st.data())
def test_a_damaged_file_never_raises(data):
    source = data.draw(st.sampled_from([TOML, CSV, json.dumps(document()).encode()]))
    at = data.draw(st.integers(0, len(source)))
    damaged = source[:at] + data.draw(st.binary(max_size=8)) + source[at + data.draw(
        st.integers(0, 40)):]  # fmt: skip
    for parser in (manifest, measurements):
        if parser.recognise(damaged):
            for table, frame in parser.parse(damaged).tables.items():
                assert dict(frame.schema) == parser.SCHEMAS[table]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=5,
)


@settings(max_examples=80)
@given(st.dictionaries(st.sampled_from([*Run.model_fields, "x"]), values),
       st.dictionaries(st.sampled_from([*_Shared.model_fields, "run"]), values))  # fmt: skip
def test_any_values_of_known_keys_never_raise(run, keys):
    parse(document(RUN | run) | keys)
    parse(document(RUN | {"measurement": [run]}, factors=dict.fromkeys(FACTORS, run.get("x"))))
