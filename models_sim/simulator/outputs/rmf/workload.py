"""RMF's Workload Activity report in the form of V2R4: two blocks of groups per class.

Transaction times have microseconds, service times milliseconds, percentages and rates two decimals,
velocities and performance indexes one. A figure that does not fit beside its label loses decimals,
then is printed in K or M. Groups without figures have only their heading.
"""

from __future__ import annotations

from itertools import zip_longest

from models_sim.simulator.outputs.rmf.page import Row, Tables, figure, line, page, reports, short

__all__ = ["write_workload"]

_TRANS_TIME = "TRANS-TIME HHH.MM.SS.FFFFFF"
#: Blocks of groups: heading -> beginning and end of the names of its columns, decimals, and labels,
#: whose names in columns are their own or follow. The heading is as wide as the group.
_BLOCKS: tuple[dict[str, dict[str, tuple[str, int]]], ...] = (
    {
        "-TRANSACTIONS--": {
            "AVG": ("transactions_avg", 2), "MPL": ("transactions_mpl", 2),
            "ENDED": ("transactions_ended", 0), "END/S": ("transactions_end_s", 2),
        },
        _TRANS_TIME: {
            "ACTUAL": ("trans_time_actual_s", 6), "EXECUTION": ("trans_time_execution_s", 6),
        },
        "TRANS-APPL%-----CP-IIPCP/AAPCP-IIP/AAP": {},
        "---ENCLAVES---": {},
    },
    {
        "----SERVICE----": {
            "IOC": ("service_ioc", 0), "CPU": ("service_cpu", 0), "MSO": ("service_mso", 0),
            "SRB": ("service_srb", 0), "TOT": ("service_tot", 0), "/SEC": ("service_sec", 0),
            "ABSRPTN": ("service_absrptn", 0), "TRX SERV": ("service_trx_serv", 0),
        },
        "SERVICE TIME": {
            name: (f"service_time_{name.lower()}_s", 3)
            for name in ("CPU", "TCB", "SRB", "RCT", "IIT", "HST", "AAP", "IIP")
        },
        "---APPL %---": {
            name: (f"appl_{name.lower()}_pct", 2) for name in ("CP", "AAPCP", "IIPCP", "AAP", "IIP")
        },
        "--PROMOTED--": {
            name: (f"promoted_{name.lower()}_s", 3) for name in ("BLK", "ENQ", "CRM", "LCK", "SUP")
        },
        "--DASD I/O---": {
            "SSCHRT": ("dasd_sschrt", 1), "RESP": ("dasd_resp_ms", 3), "CONN": ("dasd_conn_ms", 3),
            "DISC": ("dasd_disc_ms", 3), "Q+PEND": ("dasd_q_pend_ms", 3),
            "IOSQ": ("dasd_iosq_ms", 3),
        },
        "----STORAGE----": {},
        "-PAGE-IN RATES-": {},
    },
)  # fmt: skip
_GAP = "  "
_GOAL_HEADING = (
    "          RESPONSE TIME   EX   PERF  AVG",
    "SYSTEM                   VEL% INDX ADRSP",
)
#: Words of the line that names a class, and columns.
_NAMES = {"POLICY": "policy", "WORKLOAD": "workload", "SERVICE CLASS": "service_class",
          "REPORT CLASS": "report_class", "RESOURCE GROUP": "resource_group",
          "PERIOD": "period", "IMPORTANCE": "importance"}  # fmt: skip


def write_workload(tables: Tables) -> list[str]:
    """Return the Workload Activity reports of rmf_workload and its goals."""
    printed: list[str] = []
    for heading, rows in reports(tables, ("rmf_workload", "rmf_workload_goal")):
        printed += page("WORKLOAD ACTIVITY", heading)
        goals: dict[str, list[Row]] = {}
        for goal in rows["rmf_workload_goal"]:
            goals.setdefault(_class(goal), []).append(goal)
        activated = f"{rows['rmf_workload'][0]['policy_activated_local']:%m/%d/%Y %H.%M.%S}"
        printed += [f"{'':40}POLICY ACTIVATION DATE/TIME {activated}", ""]
        for row in rows["rmf_workload"]:
            name = _class(row)
            printed += [name, "", *_blocks(row), *_goal(goals.get(name, []))]
    return printed


def _class(row: Row) -> str:
    """Return the line that names the class."""
    names = (f"{word}={row[name]}" for word, name in _NAMES.items() if row[name] is not None)
    return "REPORT BY: " + "    ".join(names)


def _blocks(row: Row) -> list[str]:
    """Return the blocks of a class; a line has one label of each group."""
    printed: list[str] = []
    for block in _BLOCKS:
        printed.append(_GAP.join(block))
        groups = [_group(heading, labels, row) for heading, labels in block.items()]
        for cells in zip_longest(*groups, fillvalue=""):
            wide = (cell.ljust(len(head)) for head, cell in zip(block, cells, strict=True))
            printed.append(_GAP.join(wide).rstrip())
        printed.append("")
    return printed


def _group(heading: str, labels: dict[str, tuple[str, int]], row: Row) -> list[str]:
    """Return the labels of a group with their figures, each as wide as the group."""
    printed = []
    for label, (column, decimals) in labels.items():
        value, room = row[column], len(heading) - len(label)
        text = _elapsed(value) if heading == _TRANS_TIME else short(value, room - 1, decimals)
        printed.append(f"{label}{text:>{room}}")
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
