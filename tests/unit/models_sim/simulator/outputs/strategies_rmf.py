"""Rows of RMF's reports, as they print them: kind -> strategy."""

from hypothesis import strategies as st

from models_sim.simulator.outputs.rmf.workload import MEASURES
from tests.unit.models_sim.simulator.outputs.strategies import (
    MOMENT,
    NAME,
    PERCENT,
    SMALL,
    decimals,
    rows,
)

# --- RMF ----------------------------------------------------------------------------------------

_RELEASE = {"zos_version_": st.just("z/OS V2R4"), "rmf_version": st.just("V2R4")}
_INTERVAL = {"interval_start_local": MOMENT, "interval_seconds": decimals(3, 0, 9000), **_RELEASE}
_SYSTEM = rows(1, 2, system_id=NAME, **_INTERVAL, interval_end_local_=MOMENT)
_SYSPLEX = rows(1, 2, sysplex=NAME, **_INTERVAL, interval_end_local_=MOMENT)
_TWO = decimals(2, 0, 999)
_ONE = decimals(1, 0, 99)
_CLOCK = decimals(3, 0, 360_000)
_MACHINE = {
    "cpu": st.just("8561"), "model_": NAME, "h_w_model_": NAME, "cpc_capacity_": SMALL.map(float),
    "sequence_code_": NAME, "hiperdispatch_": st.just("YES"), "change_reason_": st.just("N/A"),
    "boost_type_": st.just("zIIP"), "boost_class_": st.just("IPL"),
}  # fmt: skip


@st.composite
def cpu(draw):
    found = []
    has_mt = draw(st.booleans())
    mt = {"mt_prod_pct": _TWO, "mt_util_pct": _TWO} if has_mt else {}
    number = 0
    for kind in draw(st.sampled_from((("CP",), ("CP", "IIP")))):
        for _ in range(draw(st.integers(1, 3))):
            own = {"cpu_num": f"{number:X}", "cpu_type": kind, "is_total": False}
            found.append(own | draw(rows(
                1, 1, **mt, online_pct=_TWO, lpar_busy_pct=_TWO, mvs_busy_pct_=_TWO,
                parked_pct=_TWO, log_proc_share_pct_=_ONE, io_interrupt_rate_=_TWO,
                io_interrupts_via_tpi_pct_=_TWO,
                hiperdispatch_priority_=st.sampled_from(("HIGH", "MED", "LOW"))))[0])  # fmt: skip
            if has_mt:
                found.append(own | draw(rows(1, 1, mvs_busy_pct=_TWO, parked_pct=_TWO))[0])
            number += 1
        total = {"cpu_num": None, "cpu_type": kind, "is_total": True}
        found.append(total | draw(rows(1, 1, **mt, lpar_busy_pct=_TWO, mvs_busy_pct=_TWO,
                                       io_interrupt_rate_=_TWO))[0])  # fmt: skip
    return found


@st.composite
def partitions(draw):
    found, own = [], {"mvs_partition_name": draw(NAME)}
    used = {f"physical_{name}_pct": _TWO for name in ("lpar_mgmt", "effective", "total")}
    for kind in ("CP", "IIP"):
        key = own | {"processor_type": kind, "is_total": False}
        for row in draw(rows(1, 3, name=NAME, status=st.just("A"), boost_type_=st.just("N"),
                             weight=SMALL.map(float), msu_defined_=SMALL.map(float),
                             msu_actual_=SMALL.map(float), capping_defined=st.just("N Y N"),
                             capping_wlm_pct_=_ONE, processor_num=_ONE, logical_effective_pct=_TWO,
                             logical_total_pct=_TWO, effective_dispatch_seconds=_CLOCK,
                             total_dispatch_seconds=_CLOCK, **used)):  # fmt: skip
            printed = str(int(row["weight"]))
            found += [key | row | {"weight_printed": printed}]
        physical = rows(0, 1, total_dispatch_seconds=_CLOCK, physical_lpar_mgmt_pct=_TWO,
                        physical_total_pct=_TWO)  # fmt: skip
        found += [key | {"name": "*PHYSICAL*"} | row for row in draw(physical)]
        total = draw(rows(1, 1, effective_dispatch_seconds=_CLOCK, total_dispatch_seconds=_CLOCK,
                          **used))[0]  # fmt: skip
        found.append(key | {"name": "TOTAL", "is_total": True} | total)
    return found


def _measure(name):
    is_service = name.startswith("service_") and "time" not in name
    if is_service or name.endswith(("ended", "swaps", "exctd")):
        return st.integers(0, 9999).map(float)
    if name.startswith("trans_time"):
        return decimals(6, 0, 400_000)
    if name.endswith("_ms") or name.startswith(("service_time", "promoted")):
        return decimals(3, 0, 9)
    return decimals(1, 0, 99)


_WAITS = ("LOCK", "I/O", "CONV", "PROD", "MISC", "TYP1")


@st.composite
def states(draw):
    """States of one class's transactions: every phase has the same ones."""
    waits = draw(st.lists(st.sampled_from(_WAITS), min_size=1, unique=True))
    names = ("ACTIVE SUB", "ACTIVE APPL", "READY", "IDLE", *(f"WAITING FOR {w}" for w in waits),
             *(f"SWITCHED {where}" for where in ("LOCAL", "SYSPL", "REMOT")))  # fmt: skip
    return [
        {"subsystem": subsystem, "phase": phase, "resp_time_pct": share, "state": name,
         "samples_pct": draw(_ONE)}
        for subsystem in draw(st.sampled_from(((), ("CICS",), ("CB", "IMS"))))
        for phase in ("BTE", "EXE")
        for share in (draw(st.one_of(_ONE, st.sampled_from((78_800.0, 140.0)))),)
        for name in names
    ]  # fmt: skip


@st.composite
def workload(draw):
    key = {"policy": draw(NAME), "policy_activated_local": draw(MOMENT)}
    of_class = draw(st.sampled_from(("service_class", "report_class")))
    found, goals, sampled = [], [], []
    for n, row in enumerate(draw(rows(1, 3, workload_=NAME, resource_group_=NAME,
                                      period_=st.integers(1, 9),
                                      importance_=st.sampled_from("12345D"))), 1):  # fmt: skip
        named = key | {of_class: f"CLASS{n}"} | row
        chosen = [name for name in MEASURES if not name.startswith("trans_appl")]
        measures = draw(st.lists(st.sampled_from(chosen), min_size=1, unique=True))
        figures = {name: draw(_measure(name)) for name in measures}
        figures |= {f"trans_appl_{part}_pct": draw(_TWO) for part in ("cp", "iipcp", "iip")}
        found.append(named | figures)
        systems = rows(0, 2, system_name=NAME, vel_pct_=_ONE, perf_indx_=_ONE, avg_adrsp=_ONE)
        goal = {"goal": "EXECUTION VELOCITY 20.0%"}
        goals += [named | goal | row for row in draw(systems)]
        sampled += [named | row for row in draw(states())]
    return {"rmf_workload": found, "rmf_workload_goal": goals, "rmf_workload_state": sampled}


_THREE = decimals(0, 0, 99_999)


@st.composite
def coupling(draw):
    cf = {"cf_name": draw(NAME)}
    facility = rows(1, 1, samples_avg=_THREE, samples_max=_THREE, samples_min=_THREE,
                    model=st.just("8561"), cf_level=st.integers(10, 30).map(float),
                    average_cf_utilization_pct=_ONE, logical_processors_effective=_ONE,
                    logical_processors_defined=st.integers(1, 99).map(float))  # fmt: skip
    kinds = st.sampled_from(("LIST", "LOCK", "CACHE"))
    structures = rows(1, 3, structure_name=NAME, structure_type=kinds,
                      status=st.sampled_from(("ACTIVE", "ACTIVE PRIM")), requests=_THREE,
                      alloc_size_bytes=st.integers(1, 999).map(lambda m: m * 1048576.0),
                      cf_storage_pct=_ONE, all_requests_pct=_ONE, cf_utilization_pct=_ONE,
                      requests_per_second=_TWO, entries_total_=_THREE, entries_current_=_THREE,
                      elements_total_=_THREE, elements_current_=_THREE, lock_entries_total_=_THREE,
                      lock_entries_current_=_THREE, directory_reclaims_=_THREE,
                      directory_reclaim_xis_=_THREE)  # fmt: skip
    times = {f"delay_{of}_us": _ONE for of in ("avg", "std_dev", "all")}
    delayed = rows(0, 2, reason=st.sampled_from(("NO SCH", "PR WT", "DUMP")), requests=_THREE,
                   requests_pct=_ONE, **times)  # fmt: skip
    kinds = st.sampled_from(("REQ TOTAL", "REQ DEFERRED", "-CONT", "-FALSE CONT"))
    contended = rows(0, 4, kind=kinds, requests=_THREE)
    requests, delays, contention = [], [], []
    for name in draw(st.lists(NAME, max_size=2, unique=True)):
        for system in draw(st.lists(NAME, min_size=1, max_size=2, unique=True)):
            key = cf | {"structure_name": name, "structure_type": "LOCK", "system_name": system}
            of_system = {"system_requests": draw(_THREE), "system_requests_per_second": draw(_ONE)}
            for request in ("SYNC", "ASYNC", "CHNGD"):
                figures = {"requests": draw(_THREE), "requests_pct": draw(_ONE)}
                if request != "CHNGD":
                    figures |= {
                        "service_time_avg_us": draw(_ONE),
                        "service_time_std_dev_us": draw(_ONE),
                    }
                requests.append(key | of_system | {"request": request} | figures)
            delays += [key | row for row in draw(delayed)]
            contention += [key | row for row in draw(contended)]
    return {
        "rmf_cf": [cf | draw(facility)[0]],
        "rmf_cf_structure": [cf | row for row in draw(structures)],
        "rmf_cf_request": requests, "rmf_cf_delay": delays, "rmf_cf_contention": contention,
    }  # fmt: skip


_MS = st.one_of(decimals(3, 0, 0.999), decimals(2, 1, 9.99), decimals(1, 10, 99.9))
_DEVICES = rows(
    1, 4, storage_group_=NAME, dev_num=st.just("02208"), device_type=st.just("33909"),
    number_of_cyl=SMALL.map(float), volume_serial=NAME, pav=st.sampled_from(("1", "1.0H", "2*")),
    lcu=st.just("0036"), device_activity_rate=decimals(3, 0, 9999),
    dev_conn_pct=decimals(2, 0, 100), dev_util_pct=decimals(2, 0, 100), dev_resv_pct=PERCENT,
    avg_nmbr_alloc=_ONE, any_alloc_pct=PERCENT,
    **{f"avg_{name}_ms": _MS for name in ("resp_time", "iosq_time", "cmr_dly", "db_dly", "int_dly",
                                          "pend_time", "disc_time", "conn_time")},
)  # fmt: skip
_OPERATION = {"rate": decimals(2), "exec_time_ms": decimals(3, 0, 999), "util_pct": PERCENT}


@st.composite
def crypto(draw):
    found = []
    operations = {
        "CCA COPROCESSOR": [("KEY-GEN",)],
        "PKCS11 COPROCESSOR": [("ASYM FAST",), ("SYMM PARTIAL",)],
        "ACCELERATOR": [("ME-1024", "CRT-1024"), ("ME-2048", "CRT-2048")],
    }  # fmt: skip
    for number, (section, groups) in enumerate(operations.items()):
        card = {"section": section, "card_type": "CEX7C", "card_id": number}
        chosen = draw(st.lists(st.sampled_from(groups), unique=True))
        for operation in ("TOTAL", *(name for group in chosen for name in group)):
            figures = draw(rows(1, 1, **_OPERATION))[0]
            if operation == "KEY-GEN":
                figures = {"rate": figures["rate"]}
            found.append(card | {"operation": operation} | figures)
    return found


@st.composite
def rmf_text(draw):
    tables = {}
    for heading in draw(_SYSTEM):
        found = {"rmf_cpu_machine": draw(rows(1, 1, **_MACHINE)), "rmf_cpu": draw(cpu()),
                 "rmf_partition": draw(partitions()), "rmf_dasd": draw(_DEVICES),
                 "rmf_crypto": draw(crypto())}  # fmt: skip
        for row in found["rmf_dasd"]:
            row["pav_number"] = float(row["pav"].rstrip("H*"))
        _add(tables, heading, found)
    for heading in draw(_SYSPLEX):
        _add(tables, heading, draw(workload()) | draw(coupling()))
    return tables


def _add(tables, heading, found):
    for table, rows_ in found.items():
        if rows_:
            tables.setdefault(table, []).extend(heading | row for row in rows_)


@st.composite
def rmf_xml(draw):
    tables = {}
    for heading in draw(_SYSTEM):
        found = {"rmf_cpu_machine": draw(rows(1, 1, **_MACHINE)), "rmf_cpu": draw(cpu()),
                 "rmf_partition": draw(partitions())}  # fmt: skip
        _add(tables, heading | {"zos_version": "z/OS V2R5"}, found)
    return tables


STRATEGIES = {"rmf_text": rmf_text(), "rmf_xml": rmf_xml()}
