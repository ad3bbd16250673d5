"""Write RMF's Workload Activity report in the form of V2R4: two blocks of groups per class.

Transaction times have microseconds, service times milliseconds, percentages and rates two decimals,
velocities and performance indexes one. A figure that does not fit beside its label loses decimals,
then is printed in K or M. A label is printed if the row has a figure for it; the line of
TRANS-APPL% needs all three figures.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

from models_sim.simulator.outputs.rmf.page import figure, line, page, reports, short
from models_sim.simulator.outputs.text import Row, Tables, fitting

__all__ = ["CLASS", "GOAL", "MEASURES", "STATE", "write_workload"]

CLASS = ("policy", "policy_activated_local", "workload", "service_class", "report_class",
         "resource_group", "period", "importance")  # fmt: skip
GOAL = (*CLASS, "goal", "system_name", "vel_pct", "perf_indx", "avg_adrsp")
STATE = (*CLASS, "subsystem", "phase", "resp_time_pct", "state", "samples_pct")
_TRANS_APPL = "TRANS-APPL%-----CP-IIPCP/AAPCP-IIP/AAP"
_TRANS_TIME = "TRANS-TIME HHH.MM.SS.FFFFFF"
#: Blocks of groups: heading -> label -> (column, decimals). The heading is as wide as the group.
_BLOCKS: tuple[dict[str, dict[str, tuple[str, int]]], ...] = (
    {
        "-TRANSACTIONS--": {
            "AVG": ("transactions_avg", 2), "MPL": ("transactions_mpl", 2),
            "ENDED": ("transactions_ended", 0), "END/S": ("transactions_end_s", 2),
            "#SWAPS": ("transactions_swaps", 0), "EXCTD": ("transactions_exctd", 0),
        },
        _TRANS_TIME: {
            "ACTUAL": ("trans_time_actual_s", 6), "EXECUTION": ("trans_time_execution_s", 6),
            "QUEUED": ("trans_time_queued_s", 6), "R/S AFFIN": ("trans_time_r_s_affin_s", 6),
            "INELIGIBLE": ("trans_time_ineligible_s", 6),
            "CONVERSION": ("trans_time_conversion_s", 6), "STD DEV": ("trans_time_std_dev_s", 6),
        },
        _TRANS_APPL: {
            "TOTAL": ("trans_appl_{}_pct", 2), "MOBILE": ("trans_appl_mobile_{}_pct", 2),
            "CATEGORYA": ("trans_appl_categorya_{}_pct", 2),
            "CATEGORYB": ("trans_appl_categoryb_{}_pct", 2),
        },
        "---ENCLAVES---": {"AVG ENC": ("avg_enc", 2), "REM ENC": ("rem_enc", 2),
                           "MS ENC": ("ms_enc", 2)},
    },
    {
        "----SERVICE----": {
            "IOC": ("service_ioc", 0), "CPU": ("service_cpu", 0), "MSO": ("service_mso", 0),
            "SRB": ("service_srb", 0), "TOT": ("service_tot", 0), "/SEC": ("service_sec", 0),
            "ABSRPTN": ("service_absrptn", 0), "TRX SERV": ("service_trx_serv", 0),
        },
        "SERVICE TIME": {
            "CPU": ("service_time_cpu_s", 3), "TCB": ("service_time_tcb_s", 3),
            "SRB": ("service_time_srb_s", 3), "RCT": ("service_time_rct_s", 3),
            "IIT": ("service_time_iit_s", 3), "HST": ("service_time_hst_s", 3),
            "AAP": ("service_time_aap_s", 3), "IIP": ("service_time_iip_s", 3),
        },
        "---APPL %---": {
            "CP": ("appl_cp_pct", 2), "AAPCP": ("appl_aapcp_pct", 2),
            "IIPCP": ("appl_iipcp_pct", 2), "AAP": ("appl_aap_pct", 2), "IIP": ("appl_iip_pct", 2),
        },
        "--PROMOTED--": {
            "BLK": ("promoted_blk_s", 3), "ENQ": ("promoted_enq_s", 3),
            "CRM": ("promoted_crm_s", 3), "LCK": ("promoted_lck_s", 3),
            "SUP": ("promoted_sup_s", 3),
        },
        "--DASD I/O---": {
            "SSCHRT": ("dasd_sschrt", 1), "RESP": ("dasd_resp_ms", 3), "CONN": ("dasd_conn_ms", 3),
            "DISC": ("dasd_disc_ms", 3), "Q+PEND": ("dasd_q_pend_ms", 3),
            "IOSQ": ("dasd_iosq_ms", 3),
        },
        "----STORAGE----": {
            "AVG": ("storage_avg", 2), "TOTAL": ("storage_total", 2),
            "SHARED": ("storage_shared", 2), "CENTRAL": ("storage_central", 2),
            "EXPAND": ("storage_expand", 2),
        },
        "-PAGE-IN RATES-": {
            "SINGLE": ("page_in_single", 1), "BLOCK": ("page_in_block", 1),
            "SHARED": ("page_in_shared", 1), "HSP": ("page_in_hsp", 1),
        },
    },
)  # fmt: skip
_PARTS = ("cp", "iipcp", "iip")
#: All columns with figures.
MEASURES = tuple(
    column.format(part)
    for block in _BLOCKS
    for labels in block.values()
    for column, _ in labels.values()
    for part in (_PARTS if "{" in column else ("",))
)
_GAP = "  "
_GOAL_HEADING = (
    "          RESPONSE TIME   EX   PERF  AVG",
    "SYSTEM                   VEL% INDX ADRSP",
)


def write_workload(tables: Tables) -> list[str]:
    """Return the Workload Activity reports of rmf_workload, its goals and its states."""
    printed: list[str] = []
    columns = {"rmf_workload": (*CLASS, *MEASURES), "rmf_workload_goal": GOAL,
               "rmf_workload_state": STATE}  # fmt: skip
    for heading, rows in reports(tables, columns):
        printed += page("WORKLOAD ACTIVITY", heading)
        goals: dict[tuple[object, ...], list[Row]] = {}
        states: dict[tuple[object, ...], list[Row]] = {}
        for more, table in ((goals, "rmf_workload_goal"), (states, "rmf_workload_state")):
            for found in rows[table]:
                more.setdefault(_key(found), []).append(found)
        activated = None
        for row in rows["rmf_workload"]:
            if row["policy_activated_local"] != activated:
                activated = row["policy_activated_local"]
                moment = f"{activated:%m/%d/%Y %H.%M.%S}"
                printed += [f"{'':40}POLICY ACTIVATION DATE/TIME {moment}", ""]
            printed += [_class(row), "", *_blocks(row), *_states(states.get(_key(row), []))]
            printed += _goal(goals.get(_key(row), []))
    return printed


def _key(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in CLASS)


def _class(row: Row) -> str:
    """Return the line that names the class."""
    names = {"POLICY": "policy", "WORKLOAD": "workload", "SERVICE CLASS": "service_class",
             "REPORT CLASS": "report_class", "RESOURCE GROUP": "resource_group",
             "PERIOD": "period", "IMPORTANCE": "importance"}  # fmt: skip
    said = (f"{word}={row[name]}" for word, name in names.items() if row[name] is not None)
    return "REPORT BY: " + "    ".join(said)


def _blocks(row: Row) -> list[str]:
    """Return the blocks of a class; a line has one label of each group."""
    printed: list[str] = []
    for block in _BLOCKS:
        groups = [_group(heading, labels, row) for heading, labels in block.items()]
        count = max(map(len, groups))
        if not any(groups):
            continue
        padded = [[*group, *[""] * (count - len(group))] for group in groups]
        printed.append(_GAP.join(block))
        for cells in zip(*padded, strict=True):
            wide = (cell.ljust(len(head)) for head, cell in zip(block, cells, strict=True))
            printed.append(_GAP.join(wide).rstrip())
        printed.append("")
    return printed


def _group(heading: str, labels: dict[str, tuple[str, int]], row: Row) -> list[str]:
    """Return the labels of a group that have a figure, each as wide as the group."""
    width = len(heading)
    if heading == _TRANS_APPL:
        return [
            line((len(label), label), *zip((18, 30, 38), figures, strict=True))
            for label, (column, decimals) in labels.items()
            if any(figures := [figure(row[column.format(part)], decimals) for part in _PARTS])
            and (figures := [text or "N/A" for text in figures])
        ]
    printed = []
    for label, (column, decimals) in labels.items():
        value = row[column]
        if value is None:
            continue
        room = width - len(label) - 1
        text = _elapsed(value) if heading == _TRANS_TIME else short(value, room, decimals)
        printed.append(f"{label}{text:>{width - len(label)}}")
    return printed


def _elapsed(seconds: float) -> str:
    """Return HHH.MM.SS.FFFFFF without leading zeros."""
    whole, micros = divmod(round(seconds * 1_000_000), 1_000_000)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}.{minutes:02d}.{rest:02d}.{micros:06d}"
    if minutes:
        return f"{minutes}.{rest:02d}.{micros:06d}"
    return f"{rest}.{micros:06d}" if rest else str(micros)


def _states(rows: list[Row]) -> list[str]:
    """Return the states of a class's transactions: a line per subsystem and phase."""
    if not rows:
        return []
    names = list(dict.fromkeys(row["state"] for row in rows))
    above, below = "SUB    P   TIME", "TYPE        (%)"
    ends: list[int] = []
    for group, found in groupby(names, lambda name: name.rpartition(" ")[0]):
        words = [name.removeprefix(group).strip() for name in found]
        title = "SWITCHED SAMPL(%)" if group == "SWITCHED" else group and f"--{group}--"
        # READY and IDLE are not below a group, but in its line.
        under = "".join(f"{word:>7}" for word in words).rjust(len(title) + 1)
        fill = " " if group == "SWITCHED" else "-"
        above += f" {title:{fill}<{len(under) - 1}}" if group else under
        below += under if group else " " * len(under)
        ends += [len(below) - 7 * n for n in range(len(words) - 1, -1, -1)]
    printed = [
        f"{'RESP':>15} {'STATE SAMPLES BREAKDOWN (%)':-^60}  {'STATE':-^17}",
        above.rstrip(),
        below.rstrip(),
    ]
    for (subsystem, phase, share), found in groupby(
        rows, itemgetter("subsystem", "phase", "resp_time_pct")
    ):
        figures = {row["state"]: _percent(row["samples_pct"]) for row in found}
        cells = zip(ends, (figures[name] for name in names), strict=True)
        first = f"{subsystem:<6}{phase}"
        printed.append(line((len(first), first), (15, _percent(share)), *cells))
    return [*printed, ""]


def _percent(value: float) -> str:
    """Return a percentage in five characters: with a decimal if there is room, else in K."""
    return fitting(5, f"{value:.1f}", f"{value:.0f}", f"{value / 1000:.1f}K")


def _goal(rows: list[Row]) -> list[str]:
    """Return the goal of a class period and each system's line."""
    if not rows:
        return []
    lines = [
        line((len(row["system_name"]), row["system_name"]), (18, "--N/A--"),
             (29, figure(row["vel_pct"], 1, "N/A")), (34, figure(row["perf_indx"], 1, "N/A")),
             (40, figure(row["avg_adrsp"], 1)))
        for row in rows
    ]  # fmt: skip
    return [f"GOAL: {rows[0]['goal']}", "", *_GOAL_HEADING, *lines, ""]
