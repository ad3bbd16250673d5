"""Rows of the outputs of tools, as they print them: kind -> strategy."""

from hypothesis import strategies as st

from ingest.formats.bench.mqsc import _KINDS as MQSC
from tests.unit.models_sim.simulator.outputs.strategies import (
    COUNT,
    HUNDREDTHS,
    MILLISECONDS,
    NAME,
    PERCENT,
    PLAIN_WORDS,
    SMALL,
    decimals,
    numbered,
    rows,
)

# --- tools of Linux and Docker ------------------------------------------------------------------


def scaled(sizes, digits=3):
    """Figures with three or more significant digits in a unit of one of these sizes."""
    most = 99.9 if digits == 3 else 999.9
    figure = st.one_of(st.integers(1, 999).map(float), decimals(1, 10, most), decimals(2, 1, 9.99))
    return st.tuples(figure, st.sampled_from(sizes)).map(lambda pair: pair[0] * pair[1])


_PLACE = st.one_of(
    NAME.map(lambda name: {"target": name, "file_system": "ext4", "device": "/dev/dasda"}),
    NAME.map(lambda name: {"target": f"/dev/{name}", "device": f"/dev/{name}"}),
)
_TIME_US = st.one_of(
    st.integers(1, 999).map(lambda ns: ns / 1e3), scaled((1.0, 1e3)),
    decimals(2, 1, 9.99).map(lambda seconds: seconds * 1e6),
)  # fmt: skip
_SIZE = st.integers(1, 999).map(lambda n: n * 4096.0).filter(lambda n: n / 1024**2 % 1 in (0, 0.5))
_STATISTICS = {
    "requests": st.integers(1, 10**6), "request_seconds": _TIME_US.map(lambda us: us / 1e6),
    "min_us": _TIME_US, "avg_us": _TIME_US, "max_us": _TIME_US, "mdev_us": _TIME_US,
    "all_requests": st.integers(1, 10**6), "all_seconds": _TIME_US.map(lambda us: us / 1e6),
}  # fmt: skip


@st.composite
def ioping_text(draw):
    place = draw(_PLACE)
    sizes = st.sampled_from((512.0, 4096.0, 262144.0, 1048576.0))
    requests = draw(rows(1, 4, request=COUNT, operation_=st.sampled_from(("read", "write")),
                         request_bytes=sizes, time_us=_TIME_US, is_ignored=st.booleans(),
                         time_printed_=st.just("Nov 21 13:13:00")))  # fmt: skip
    statistics = draw(rows(0, 1, **_STATISTICS, bytes=sizes, bytes_per_second=sizes,
                           iops=st.integers(1, 999).map(float)))  # fmt: skip
    tables = {"bench_ioping_request": numbered(place | row for row in requests)}
    if statistics:
        tables["bench_ioping"] = [{"record_no": 99} | place | row for row in statistics]
    return tables


@st.composite
def ioping_json(draw):
    place = {"target": draw(NAME), "file_system": "ext4", "device": "/dev/dasda"}
    requests = draw(rows(1, 4, request=COUNT, operation=st.sampled_from(("read", "write")),
                         request_bytes=COUNT.map(float), time_us=COUNT.map(lambda ns: ns / 1e3),
                         is_ignored=st.booleans(), time_utc=MILLISECONDS))  # fmt: skip
    statistics = draw(rows(0, 1, **_STATISTICS, bytes=COUNT.map(float), iops=decimals(6, 0, 10**6),
                           bytes_per_second=COUNT.map(float)))  # fmt: skip
    tables = {"bench_ioping_request": numbered(place | row for row in requests)}
    if statistics:
        tables["bench_ioping"] = [{"record_no": 99} | place | row for row in statistics]
    return tables


_MIB = decimals(1, 0, 99999).map(lambda mib: mib * 1024**2)
_TOP = {
    "time_printed": st.just("13:30:22"),
    **{f"load_average_{n}min": decimals(2, 0, 99) for n in (1, 5, 15)},
    "tasks": st.integers(50, 999), "tasks_running": st.integers(0, 50),
    **{f"cpu_{name}_pct": PERCENT for name in ("us", "sy", "ni", "id", "wa", "hi", "si", "st")},
    **{f"memory_{name}_bytes": _MIB for name in ("total", "free", "used", "buff_cache", "avail")},
    **{f"swap_{name}_bytes": _MIB for name in ("total", "free", "used")},
}  # fmt: skip


def _memory(width):
    """Memory that fits this many characters in KiB, or needs GiB."""
    least = 10 ** (width - 2) / 1024 + 1
    return st.one_of(
        st.integers(0, 10**width - 1).map(lambda kib: kib * 1024.0),
        decimals(1, least, 10 ** (width - 3) - 1).map(lambda gib: gib * 1024.0**3),
    )


_PROCESS = {
    "pid": st.integers(1, 9_999_999), "user": NAME, "priority": st.sampled_from(("20", "rt", "-2")),
    "nice": st.integers(-20, 19), "virtual_bytes": _memory(7),
    "resident_bytes": _memory(6), "shared_bytes": _memory(6),
    "state": st.sampled_from("RSDITZ"), "cpu_pct": st.one_of(PERCENT, st.integers(1000, 9999)),
    "memory_pct": PERCENT, "cpu_seconds": decimals(2, 0, 59_999), "command": PLAIN_WORDS,
}  # fmt: skip


@st.composite
def top(draw):
    displays = [{"iteration": n} | row for n, row in enumerate(draw(rows(1, 3, **_TOP)), 1)]
    processes = [
        {"iteration": display["iteration"], "time_printed": display["time_printed"]} | row
        for display in displays
        for row in draw(rows(1, 4, **_PROCESS))
    ]
    return {"bench_top": displays, "bench_top_process": processes}


_DOCKER = scaled([1000.0**n for n in range(1, 4)], 4)
_DOCKER_3 = scaled([1000.0**n for n in range(1, 4)])
_DOCKER_2 = scaled([1024.0**n for n in range(1, 4)], 4)
_OBJECTS = {
    "image": rows(1, 3, kind=st.just("image"), id=NAME, name=NAME.map(lambda n: f"{n}:latest"),
                  size_bytes=_DOCKER, shared_bytes_=_DOCKER, unique_bytes_=_DOCKER, users=SMALL),
    "container": rows(1, 3, kind=st.just("container"), id=NAME, name=NAME, size_bytes=_DOCKER,
                      status=PLAIN_WORDS),
    "volume": rows(1, 3, kind=st.just("volume"), name=NAME, size_bytes=_DOCKER, users=SMALL),
    "build_cache": rows(1, 3, kind=st.just("build_cache"), id=NAME, size_bytes=_DOCKER),
}  # fmt: skip


@st.composite
def docker(draw):
    types = st.sampled_from(("Images", "Containers", "Local Volumes", "Build Cache"))
    df = rows(1, 4, type=types, total_=SMALL, active_=SMALL, size_bytes=_DOCKER,
              reclaimable_bytes_=_DOCKER)  # fmt: skip
    pairs = ("network_received", "network_sent", "block_read", "block_written")
    stats = rows(1, 3, container_id=NAME, name=NAME, cpu_pct=decimals(2, 0, 999),
                 memory_bytes=_DOCKER_2, memory_limit_bytes=_DOCKER_2,
                 memory_pct=decimals(2, 0, 100), pids=SMALL,
                 **{f"{pair}_bytes": _DOCKER_3 for pair in pairs})  # fmt: skip
    return {
        "bench_docker_df": draw(df),
        "bench_docker_object": [row for found in _OBJECTS.values() for row in draw(found)],
        "bench_docker_stats": [
            {"sample": sample} | row for sample in (1, 2) for row in draw(stats)
        ],
    }  # fmt: skip


# --- MQ -----------------------------------------------------------------------------------------


@st.composite
def amqsrua(draw):
    chosen = draw(st.sampled_from(({}, {"class": "STATMQI", "type": "PUT"})))
    metric = st.lists(st.sampled_from(("MQPUT", "byte", "count", "-", "Log")), min_size=1).map(
        " ".join
    )
    published = st.one_of(
        rows(metric=metric, object_=NAME, value=decimals(2, 0, 100), unit=st.just("%")),
        rows(metric=metric, object_=NAME, value=SMALL.map(float),
             unit=st.sampled_from(("MB", "us"))),
        rows(metric=metric, object_=NAME, value=COUNT.map(float),
             rate_per_second_=SMALL.map(float)),
    )  # fmt: skip
    found = []
    for moment in draw(st.lists(HUNDREDTHS, min_size=1, max_size=3, unique=True)):
        key = {"time_utc": moment, "interval_seconds": draw(decimals(3, 0, 10**6))} | chosen
        found += [key | row for row in draw(published)]
    return {"bench_amqsrua": found}


_PREFIX = st.sampled_from(("!MQ1", "QM1"))


@st.composite
def mqsc(draw):
    tables, number = {}, 0
    manager = draw(_PREFIX)
    for table in MQSC.values():
        columns = {f"{name}_": NAME for name, _ in table.texts.values()}
        columns |= {f"{name}_": SMALL for name, _ in table.numbers.values()}
        columns |= {f"{name}_{term}": SMALL.map(float) for name, _ in table.pairs.values()
                    for term in ("short", "long")}  # fmt: skip
        found = draw(rows(0, 2, **columns, **{table.key: NAME}))
        if found:
            named = [{"queue_manager": manager} | row for row in found]
            tables[table.name] = numbered(named, number + 1)
            number += len(found)
    chinit = draw(rows(0, 3, text=NAME.map(lambda n: f"TCP/IP system name is {n}")))
    shown = [{"queue_manager": "!MQ1", "message_id": "CSQX830I", "name": row["text"]} | row
             for row in chinit]  # fmt: skip
    if shown:
        tables["bench_mqsc_chinit"] = numbered(shown, number + 1)
    one = {"record_no": 1, "queue_manager": manager, "partner": "QM2"}
    return tables or {"bench_mqsc_pubsub": [one]}


_LONG_TEXT = st.lists(NAME.map(lambda n: f"{n},"), min_size=3, max_size=40).map(" ".join)


@st.composite
def syslog(draw):
    messages, number = [], 0
    for _ in range(draw(st.integers(1, 4))):
        number += 1
        moment = draw(HUNDREDTHS)
        time = f"{moment:%H:%M:%S}.{moment.microsecond // 10_000:02d}"
        where = draw(st.sampled_from((
            {"system_id": "MVS1", "time_local": moment, "time_printed": time, "job_id": "STC00001"},
            {"time_printed": time, "job_id": "STC00001"}, {},
        )))  # fmt: skip
        message = draw(st.sampled_from(("IXL015I", "IVT5592I")))
        messages.append({"record_no": number, "message_id": message, "text": draw(_LONG_TEXT)}
                        | where)  # fmt: skip
    amount = st.one_of(st.integers(0, 999).map(lambda m: m * 1048576.0),
                       st.integers(1, 9999).map(lambda k: k * 1024.0))  # fmt: skip
    pools = draw(rows(1, 3, buffer_size=st.sampled_from(("4K", "16K", "TOTAL")),
                      source=st.sampled_from(("ECSA", "DATA SPACE 31", "HVCOMM")),
                      in_use_bytes=amount, free_bytes=amount, total_bytes=amount))  # fmt: skip
    names = st.sampled_from(("FIXED MAXIMUM", "ECSA CURRENT", "FIXED MAXIMUM USED"))
    limits = draw(rows(1, 3, name=names, bytes=amount,
                       since_=st.sampled_from(("IPL", "LAST DISPLAY CSM"))))  # fmt: skip
    return {
        "bench_syslog_message": messages,
        "bench_csm_pool": numbered(pools, number + 1),
        "bench_csm_limit": numbered(limits, number + len(pools) + 1),
    }


STRATEGIES = {
    "amqsrua": amqsrua(), "mqsc_display": mqsc(),
    "ioping": ioping_text(), "ioping_json": ioping_json(),
    "top": top(), "docker": docker(), "zos_syslog": syslog(),
}  # fmt: skip
