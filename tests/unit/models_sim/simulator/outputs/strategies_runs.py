"""Rows of manifests, measurements and MFT, as they are written: kind -> strategy."""

from datetime import timedelta

import polars as pl
from hypothesis import strategies as st

from ingest.formats.bench.manifest import FACTORS
from tests.unit.models_sim.simulator.outputs.strategies import (
    COUNT,
    MILLISECONDS,
    MOMENT,
    NAME,
    SMALL,
    START,
    TEXT,
    WORDS,
    decimals,
    numbered,
    rows,
)

# --- the project's own formats ------------------------------------------------------------------

_MEASURED = {
    "metric": WORDS, "value": st.floats(allow_nan=False, allow_infinity=False), "unit": WORDS,
    "address_space_": NAME,
}  # fmt: skip
MICROSECONDS = st.integers(0, 10**15).map(lambda n: START + timedelta(microseconds=n))


def _level(column):
    """A factor's level as text, and its number if it has one."""
    if column.dtype in (pl.Int32, pl.Int64):
        return SMALL.map(lambda n: (str(n), float(n)))
    if column.dtype is pl.Float64:
        return decimals(3).map(lambda x: (str(int(x)) if x == int(x) else repr(x), x))
    return (st.sampled_from(column.allowed) if column.allowed else WORDS).map(lambda t: (t, None))


@st.composite
def manifest(draw):
    tables = {name: [] for name in ("run", "run_factor", "run_scope", "run_label")}
    tables = {f"bench_{name}": [] for name in tables} | {"bench_measurement": []}
    begin = draw(MICROSECONDS)
    for number in range(1, draw(st.integers(1, 4)) + 1):
        run = {"record_no": number, "run_id": f"run {number}{draw(TEXT)}"}
        minutes = draw(st.sampled_from((0, 60, -300, 345)))
        zone = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
        stop = begin + timedelta(microseconds=draw(st.integers(2, 10**12)))
        steady = draw(st.booleans())
        tables["bench_run"].append(run | {
            "campaign": draw(WORDS), "repetition": draw(st.integers(1, 99)), "start_utc": begin,
            "stop_utc": stop, "start_local": begin + timedelta(minutes=minutes),
            "time_zone": zone, "utc_offset_minutes": minutes,
            "steady_start_utc": begin if steady else None,
            "steady_stop_utc": stop if steady else None,
        })  # fmt: skip
        for factor in draw(st.lists(st.sampled_from(sorted(FACTORS)), unique=True, max_size=5)):
            value, figure = draw(_level(FACTORS[factor]))
            tables["bench_run_factor"].append(
                run | {"factor": factor, "value": value, "number": figure}
            )
        for kind in ("lpar", "address_space", "report_class", "volume"):
            names = draw(st.lists(NAME, unique=True, max_size=3))
            tables["bench_run_scope"] += [run | {"kind": kind, "name": name} for name in names]
        kind = draw(st.sampled_from(("", "service class ", "report class ")))
        names = draw(st.lists(NAME, unique=True, max_size=3))
        tables["bench_run_scope"] += [
            run | {"kind": "workload", "name": kind + name} for name in names
        ]
        labels = draw(st.dictionaries(WORDS, WORDS, max_size=3))
        tables["bench_run_label"] += [
            run | {"label": label, "value": value} for label, value in labels.items()
        ]
        # A metric has one direction in all runs, and one figure in a run.
        measured = draw(rows(0, 3, **_MEASURED, more_is_better=st.booleans()))
        tables["bench_measurement"] += [
            run | row | {"metric": f"{row['metric']} {number}.{n}"}
            for n, row in enumerate(measured)
        ]
        begin = stop
    return {name: found for name, found in tables.items() if found}


MEASUREMENTS = st.one_of(
    rows(1, 5, **_MEASURED, more_is_better_=st.booleans(), run_id=WORDS, time_utc_=MICROSECONDS),
    rows(1, 5, **_MEASURED, more_is_better_=st.booleans(), run_id_=WORDS, time_utc=MICROSECONDS),
).map(lambda found: {"bench_measurement": numbered(found)})

# --- Managed File Transfer ----------------------------------------------------------------------

_AGENTS = {f"{side}_{name}_": NAME for side in ("source", "destination")
           for name in ("agent", "queue_manager", "system")}  # fmt: skip
_ORDERED = {"user_id_": NAME, "job_name_": WORDS}
_RESULT = {"result_code_": SMALL, "supplement_": WORDS}
_DONE = {"retries_": SMALL, "file_failures_": SMALL, "file_warnings_": SMALL}
_TYPE = st.sampled_from(("file", "queue", "dataset"))
_FILE = {
    "mode_": st.sampled_from(("binary", "text")), "source": WORDS, "source_type_": _TYPE,
    "source_bytes_": COUNT, "source_disposition_": st.sampled_from(("leave", "delete")),
    "source_checksum_method_": st.just("MD5"), "source_checksum_": NAME, "destination": WORDS,
    "destination_type_": _TYPE, "destination_bytes_": COUNT,
    "destination_exist_": st.sampled_from(("overwrite", "error")),
    "destination_checksum_method_": st.just("MD5"), "destination_checksum_": NAME, **_RESULT,
}  # fmt: skip
_MESSAGES = {
    "transfer": rows(1, 1, agent_role_=st.sampled_from(("sourceAgent", "destinationAgent")),
                     action=st.sampled_from(("started", "progress", "completed", "cancelled")),
                     **_AGENTS, **_ORDERED, **_RESULT, **_DONE, schedule_id_=NAME,
                     start_utc_=MILLISECONDS, actual_start_utc_=MILLISECONDS, files_=COUNT,
                     first_index_=SMALL, bytes_sent_=COUNT),
    "status": rows(1, 1, **_AGENTS, elapsed_seconds_=decimals(3), files_=COUNT, bytes_sent_=COUNT,
                   first_index_=SMALL),
    "schedule": rows(1, 1, action=st.sampled_from(("submit", "delete", "expire", "skipped")),
                     **_AGENTS, **_ORDERED, **_RESULT),
}  # fmt: skip


@st.composite
def mft_xml(draw):
    transfers, items = [], []
    for number in range(1, draw(st.integers(1, 4)) + 1):
        kind = draw(st.sampled_from(sorted(_MESSAGES)))
        message = {"record_no": number, "transfer_id": draw(NAME), "message": kind,
                   "time_utc": draw(MILLISECONDS)} | draw(_MESSAGES[kind])[0]  # fmt: skip
        begun = message.get("actual_start_utc") or message.get("start_utc")
        if message.get("action") == "completed" and begun:
            message["elapsed_seconds"] = (message["time_utc"] - begun).total_seconds()
        transfers.append(message)
        shared = {name: message.get(name) for name in
                  ("record_no", "transfer_id", "message", "action", "time_utc")}  # fmt: skip
        files = rows(0, 3, **_FILE, **({"transferred_bytes_": COUNT} if kind == "status" else {}))
        first = message.get("first_index") or 0
        items += [shared | {"item_index": n} | row for n, row in enumerate(draw(files), first)]
    return {"bench_mft_transfer": transfers} | ({"bench_mft_item": items} if items else {})


_LOG_EVENT = {"time_utc": MOMENT, "transfer_id": NAME, "message": st.just("transfer")}
_LOG_TRANSFER = {name: s for name, s in _AGENTS.items() if "system" not in name}
_NO_SEMICOLON = WORDS.filter(lambda text: ";" not in text)


@st.composite
def mft_log(draw):
    _, started, ended, moved = (
        [], rows(**_LOG_EVENT, **_LOG_TRANSFER, action=st.just("started"), user_id_=NAME),
        rows(**_LOG_EVENT, **_LOG_TRANSFER, action=st.sampled_from(("completed", "cancelled")),
             user_id_=NAME, job_name_=_NO_SEMICOLON, result_code_=SMALL, supplement_=_NO_SEMICOLON),
        rows(**_LOG_EVENT, action=st.just("progress"), result_code_=SMALL, source=_NO_SEMICOLON,
             source_bytes_=COUNT, source_type_=_TYPE, destination=_NO_SEMICOLON,
             destination_bytes_=COUNT, destination_type_=_TYPE, supplement_=_NO_SEMICOLON),
    )  # fmt: skip
    transfers = draw(started) + draw(ended)
    items = draw(moved)
    return {"bench_mft_transfer": numbered(transfers),
            "bench_mft_item": numbered(items, len(transfers) + 1)}  # fmt: skip


STRATEGIES = {
    "run_manifest": manifest(), "measurements_csv": MEASUREMENTS, "measurements_json": MEASUREMENTS,
    "mft_xml": mft_xml(), "mft_log": mft_log(),
}  # fmt: skip
