"""Workload Activity report (WLMGL): policy, workloads, service and report classes, their periods.

Seen on: "Service Class Period report" (IBM, z/OS RMF Report Analysis, erbb500491, V2R2 and V2R4:
heading, class line, block heading and first line of the block); "One Minute MVS performance - WLM
reports" (C. Paice, 2021: report class period of V2R4 with its first block); "RMF Workload Activity
reports" (IBM, WebSphere for z/OS 8.5.5, rprf_RMFwar: the older block with service rates); "RMF
workload report" (mainframe tips and tricks, 2020: the labels below SERVICE TIMES and APPL %); "RMF
report example: very large response time percentage" (IBM, CICS TS 5.6, dfht3vl) and "RMF report
examples" (IBM, WebSphere for z/OS 8.5.5, rprf_RMFsamples): states of a subsystem's transactions.

A block has one heading line; below the heading of each group are lines of label and figure. Both
are recognised by their position, so the groups may be in any order; an unknown label is rejected by
name. The line of the goal and each system's velocity and performance index are read too. No genuine
report with those was available, so their columns are recognised by their headings alone.

Below the blocks of a class that CICS, IMS and others serve, the states in which its transactions
were sampled have three lines of headings, then a line per subsystem and phase. The states below
WAITING FOR are those that occurred.
"""

from __future__ import annotations

import re

import polars as pl

from ingest.formats.rmf.figures import Cell, align, duration, moment, number
from ingest.formats.rmf.report import HEADING, Report
from ingest.formats.text.lines import Line
from ingest.formats.text.table import Column, Output

__all__ = ["TABLES", "TITLES", "parse_workload"]

_MICRO = "FFFFFF"

#: Group -> label -> (column, meaning with unit).
_TRANSACTIONS = {
    "AVG": ("transactions_avg", "Active transactions, average"),
    "MPL": ("transactions_mpl", "Transactions in storage, average"),
    "ENDED": ("transactions_ended", "Transactions that ended"),
    "END/S": ("transactions_end_s", "Transactions that ended [1/s]"),
    "#SWAPS": ("transactions_swaps", "Swaps"),
    "EXCTD": ("transactions_exctd", "Transactions executed by the class's servers"),
    "AVG ENC": ("avg_enc", "Active enclaves, average"),
    "REM ENC": ("rem_enc", "Of the enclaves: foreign enclaves, average"),
    "MS ENC": ("ms_enc", "Of the enclaves: enclaves of several systems, average"),
}
_TRANS_TIME = {
    "ACTUAL": ("trans_time_actual_s", "Response time per ended transaction [s]"),
    "EXECUTION": ("trans_time_execution_s", "Of the response time: execution [s]"),
    "QUEUED": ("trans_time_queued_s", "Of the response time: queued [s]"),
    "R/S AFFIN": (
        "trans_time_r_s_affin_s",
        "Of the response time: resource or system affinity delay [s]",
    ),
    "R/S AFFINITY": (
        "trans_time_r_s_affin_s",
        "Of the response time: resource or system affinity delay [s]",
    ),
    "INELIGIBLE": ("trans_time_ineligible_s", "Of the response time: held [s]"),
    "CONVERSION": ("trans_time_conversion_s", "Of the response time: JCL conversion [s]"),
    "STD DEV": ("trans_time_std_dev_s", "Standard deviation of the response time [s]"),
}
_DASD = {
    "SSCHRT": ("dasd_sschrt", "DASD I/O rate [1/s]"),
    "RESP": ("dasd_resp_ms", "DASD response time [ms]"),
    "CONN": ("dasd_conn_ms", "Of the response time: connected [ms]"),
    "DISC": ("dasd_disc_ms", "Of the response time: disconnected [ms]"),
    "Q+PEND": ("dasd_q_pend_ms", "Of the response time: queued and pending [ms]"),
    "IOSQ": ("dasd_iosq_ms", "Of the response time: waiting in the I/O supervisor's queue [ms]"),
}
_SERVICE = {
    "IOC": ("service_ioc", "I/O service [service units]"),
    "CPU": ("service_cpu", "CPU service [service units]"),
    "MSO": ("service_mso", "Storage service [service units]"),
    "SRB": ("service_srb", "SRB service [service units]"),
    "TOT": ("service_tot", "All service [service units]"),
    "/SEC": ("service_sec", "All service [service units/s]"),
    "ABSRPTN": ("service_absrptn", "Absorption rate [service units/s]"),
    "TRX SERV": ("service_trx_serv", "Transaction service rate [service units/s]"),
}
_TIMES = {
    "CPU": ("service_time_cpu_s", "CPU time with zIIP and zAAP, normalised [s]"),
    "TCB": ("service_time_tcb_s", "Task time [s]"),
    "SRB": ("service_time_srb_s", "SRB time [s]"),
    "RCT": ("service_time_rct_s", "Region control task time [s]"),
    "IIT": ("service_time_iit_s", "I/O interrupt time [s]"),
    "HST": ("service_time_hst_s", "Hiperspace time [s]"),
    "AAP": ("service_time_aap_s", "zAAP time, not normalised [s]"),
    "IIP": ("service_time_iip_s", "zIIP time, not normalised [s]"),
}
_APPL = {
    "CP": ("appl_cp_pct", "General-purpose time in the interval [% of one processor]"),
    "AAPCP": ("appl_aapcp_pct", "zAAP-eligible time on general-purpose processors [%]"),
    "IIPCP": ("appl_iipcp_pct", "zIIP-eligible time on general-purpose processors [%]"),
    "IIPCP/AAPCP": ("appl_iipcp_pct", "zIIP-eligible time on general-purpose processors [%]"),
    "AAP": ("appl_aap_pct", "zAAP time in the interval [% of one processor]"),
    "IIP": ("appl_iip_pct", "zIIP time in the interval [% of one processor]"),
    "IIP/AAP": ("appl_iip_pct", "zIIP time in the interval [% of one processor]"),
}
#: Older reports list these with the service rates, and their total as APPL%.
_RATES = {
    "ABSRPTN": _SERVICE["ABSRPTN"],
    "TRX SERV": _SERVICE["TRX SERV"],
    **{label: _TIMES[label] for label in ("TCB", "SRB", "RCT", "IIT", "HST", "AAP", "IIP")},
    "APPL%": _APPL["CP"],
    "APPL% CP": _APPL["CP"],
    "APPL% AAPCP": _APPL["AAPCP"],
    "APPL% IIPCP": _APPL["IIPCP"],
    "APPL% AAP": _APPL["AAP"],
    "APPL% IIP": _APPL["IIP"],
}
_PROMOTED = {
    "BLK": ("promoted_blk_s", "CPU time while promoted: blocked workload [s]"),
    "ENQ": ("promoted_enq_s", "CPU time while promoted: enqueue holder [s]"),
    "CRM": ("promoted_crm_s", "CPU time while promoted: chronic resource contention [s]"),
    "LCK": ("promoted_lck_s", "CPU time while promoted: lock holder [s]"),
    "SUP": ("promoted_sup_s", "CPU time while promoted: by the supervisor [s]"),
}
_STORAGE = {
    "AVG": ("storage_avg", "Central storage frames per address space, average"),
    "TOTAL": ("storage_total", "Central storage frames, average"),
    "SHARED": ("storage_shared", "Shared storage frames, average"),
    "CENTRAL": ("storage_central", "Central storage frames, average"),
    "EXPAND": ("storage_expand", "Expanded storage frames, average"),
}
_ENCLAVES = {label: _TRANSACTIONS[label] for label in ("AVG ENC", "REM ENC", "MS ENC")}
_PAGES = {
    "SINGLE": ("page_in_single", "Single page-ins while active [1/s]"),
    "BLOCK": ("page_in_block", "Block page-ins while active [1/s]"),
    "SHARED": ("page_in_shared", "Shared page-ins while active [1/s]"),
    "HSP": ("page_in_hsp", "Hiperspace page-ins while active [1/s]"),
}
_TRANS_APPL = {
    "TOTAL": ("trans_appl_{}_pct", "Time of all transactions"),
    "MOBILE": ("trans_appl_mobile_{}_pct", "Time of mobile transactions"),
    "CATEGORYA": ("trans_appl_categorya_{}_pct", "Time of category A transactions"),
    "CATEGORYB": ("trans_appl_categoryb_{}_pct", "Time of category B transactions"),
}
_TRANS_APPL_PARTS = (
    ("cp", "on general-purpose processors"),
    ("iipcp", "eligible for zIIP or zAAP, on general-purpose processors"),
    ("iip", "on zIIP or zAAP"),
)
_GROUPS: dict[str, tuple[str, dict[str, tuple[str, str]]]] = {
    "transactions": (r"-*TRANSACTIONS-*", _TRANSACTIONS),
    "trans_time": (r"-*TRANS\.?-TIME +[HMSTF.]+", _TRANS_TIME),
    "trans_appl": (r"TRANS-APPL%-*CP-IIPCP/AAPCP-IIP/AAP", _TRANS_APPL),
    "enclaves": (r"-*ENCLAVES-*", _ENCLAVES),
    "dasd": (r"-*DASD I/O-*", _DASD),
    "rates": (r"-*SERVICE RATES-*", _RATES),
    "times": (r"-*SERVICE TIMES?-*", _TIMES),
    "service": (r"-*SERVICE-+", _SERVICE),
    "appl": (r"-*APPL *%-*", _APPL),
    "promoted": (r"-*PROMOTED-*", _PROMOTED),
    "storage": (r"-*STORAGE-*", _STORAGE),
    "pages": (r"-*PAGE-IN RATES-*", _PAGES),
}
_HEADS = re.compile("|".join(f"(?P<{name}>{pattern})" for name, (pattern, _) in _GROUPS.items()))


def _measures() -> tuple[Column, ...]:
    docs: dict[str, str] = {}
    for name, (_, labels) in _GROUPS.items():
        if name != "trans_appl":
            docs |= dict(labels.values())
    for column, doc in _TRANS_APPL.values():
        docs |= {column.format(p): f"{doc} {label} [%]" for p, label in _TRANS_APPL_PARTS}
    return tuple(Column(name, doc) for name, doc in docs.items())


_CLASS = (
    Column("policy", "Service policy", pl.String),
    Column("policy_activated_local", "When the policy was activated, local time", pl.Datetime),
    Column("workload", "Workload", pl.String),
    Column("service_class", "Service class; null in a row for a report class", pl.String),
    Column("report_class", "Report class; null in a row for a service class", pl.String),
    Column("resource_group", "Resource group", pl.String),
    Column("period", "Period of the class; null for all periods", pl.Int32),
    Column("importance", "Importance of the goal, 1 to 5; D: discretionary", pl.String),
)
TITLES = {
    "rmf_workload": "One row per sysplex, interval and policy, workload, class or class period",
    "rmf_workload_goal": "One row per system (and *ALL) of a class period with a goal",
    "rmf_workload_state": "One row per class period, subsystem, phase and state of transactions",
}
TABLES = {
    "rmf_workload": (*HEADING, *_CLASS, *_measures()),
    "rmf_workload_goal": (
        *HEADING, *_CLASS,
        Column("goal", "The goal as printed", pl.String),
        Column("system_name", "System; *ALL is the sysplex", pl.String),
        Column("vel_pct", "Execution velocity [%]"),
        Column("perf_indx", "Performance index; above 1 the goal is missed"),
        Column("avg_adrsp", "Address spaces, average"),
    ),
    "rmf_workload_state": (
        *HEADING, *_CLASS,
        Column("subsystem", "Type of the subsystem: CICS, IMS, CB and so on", pl.String),
        Column("phase", "Phase of the transactions: BTE from begin to end, EXE execution",
               pl.String),
        Column("resp_time_pct", "Time that the samples of the phase stand for, relative to the "
               "response time; above 100 with long-running transactions; the same in each row of "
               "a phase [%]"),
        Column("state", "State: ACTIVE SUB, READY, WAITING FOR LOCK and so on", pl.String),
        Column("samples_pct", "Samples in the state; all states but SWITCHED add up to 100 [%]"),
    ),
}  # fmt: skip

_KEYS = re.compile(
    r"\b(POLICY|WORKLOAD|SERVICE CLASS|RESOURCE GROUP|REPORT CLASS|PERIOD|IMPORTANCE) *= *(\S+)"
)
_CLASS_LINE = re.compile(r"\s*(?:REPORT BY: *)?POLICY *= *\S")
_ACTIVATED = re.compile(r"POLICY ACTIVATION DATE/TIME +(\S+ +\S+)")
_GOAL = re.compile(r"\s*GOAL: *(.*\S)")
_GOAL_HEAD = re.compile(r"\s*SYSTEM\b.*\bVEL% +INDX +ADRSP\b")
_STATES = re.compile(r"\bSTATE SAMPLES BREAKDOWN\b")
_STATES_LAST = re.compile(r"\s*TYPE +\(%\)")
_STATE_WORD = re.compile(r"-+(?P<group>[A-Z][A-Z ]*[A-Z])-+|(?P<switched>SWITCHED +\S+)|\S+")
_STATE_LINE = re.compile(r"\s*(\S{1,8}) +(BTE|EXE)(?= )")
_RESP_TIME = "RESP TIME"


class _Block:
    """The class whose block is being read, and what was read of it."""

    def __init__(self, line: int, keys: dict[str, object]) -> None:
        self.line = line
        self.keys = keys
        self.values: dict[str, object] = {}
        self.cells: list[Cell] = []
        self.line_of_heading = 0
        self.fraction = 3
        self.goal: str | None = None
        self.goal_end = 0
        self.states: list[Cell] | None = None  # None: not below the headings of the states
        self.above = ""


def parse_workload(report: Report, out: Output) -> None:
    """Read each class's block into rmf_workload, and its goal's lines into rmf_workload_goal."""
    block: _Block | None = None
    activated = None
    for line in report.lines:
        text = line.text
        if "POLICY" in text and (match := _ACTIVATED.search(text)):
            activated = moment(re.sub(r" +", "-", match[1]))
        elif "POLICY" in text and _CLASS_LINE.match(text):
            _close(block, report, out)
            block = _Block(line.number, _keys(text) | {"policy_activated_local": activated})
        elif block and "BREAKDOWN" in text and _STATES.search(text):
            block.states, block.cells, block.goal_end = [], [], 0
        elif block and block.states is not None and _STATES_LAST.match(text):
            block.states = _state_cells(block.above, text)
        elif block and block.states is not None and _STATE_LINE.match(text):
            _state_line(block, line, report, out)
        elif block and "-" in text and len(heads := list(_HEADS.finditer(text))) >= 2:
            block.cells = [Cell(str(m.lastgroup), m.start(), m.end()) for m in heads]
            block.line_of_heading = line.number
            block.fraction = 6 if _MICRO in text else 3
            block.goal_end, block.states = 0, None
        elif block and "GOAL" in text and (match := _GOAL.match(text)):
            block.goal, block.cells = match[1], []
        elif block and "ADRSP" in text and _GOAL_HEAD.match(text):
            block.goal_end, block.cells = text.index("ADRSP") + len("ADRSP"), []
        elif block and not text.strip(" -"):
            block.cells = block.cells if block.line_of_heading == line.number - 1 else []
        elif block and block.goal_end:
            _goal_line(block, line, report, out)
        elif block and block.cells:
            _block_line(block, line, out)
        if block:
            block.above = text
    _close(block, report, out)


def _keys(text: str) -> dict[str, object]:
    keys = dict(_KEYS.findall(text))
    period = keys.get("PERIOD", "")
    return {
        "policy": keys.get("POLICY"),
        "workload": keys.get("WORKLOAD"),
        "service_class": keys.get("SERVICE CLASS"),
        "report_class": keys.get("REPORT CLASS"),
        "resource_group": keys.get("RESOURCE GROUP"),
        "period": int(period) if period.isdecimal() and len(period) < 4 else None,
        "importance": keys.get("IMPORTANCE"),
    }


def _block_line(block: _Block, line: Line, out: Output) -> None:
    """Note in the block the figure of each group on this line."""
    text = line.text
    edges = [cell.start for cell in block.cells[1:]] + [len(text)]
    for cell, start, end in zip(block.cells, [0, *edges], edges, strict=False):
        part = text[start:end].split()
        if not part:
            continue
        labels = _GROUPS[cell.name][1]
        if cell.name == "trans_appl":
            _three(block, part, labels, line, out)
            continue
        label, figure = " ".join(part[:-1]), part[-1]
        if label not in labels:
            out.reject(line.number, f"{cell.name}: {' '.join(part)[:40]!r} is not known")
            continue
        timed = cell.name == "trans_time"
        value = _trans_time(figure, block.fraction) if timed else number(figure)
        block.values[labels[label][0]] = value


def _three(
    block: _Block, part: list[str], labels: dict[str, tuple[str, str]], line: Line, out: Output
) -> None:
    """Read a label and three figures: general-purpose, eligible on general-purpose, specialty."""
    if len(part) != 4 or part[0] not in labels:
        out.reject(line.number, f"trans_appl: {' '.join(part)[:40]!r} is not known")
        return
    for (name, _), figure in zip(_TRANS_APPL_PARTS, part[1:], strict=True):
        block.values[labels[part[0]][0].format(name)] = number(figure)


def _trans_time(text: str, fraction: int) -> float | None:
    """Return the seconds of HHH.MM.SS.TTT without leading zeros: a lone number is all fraction."""
    if text.isdecimal():
        return int(text) / 10**fraction
    head, _, last = text.rpartition(".")
    seconds = duration(head + ".0") if head else None
    return None if seconds is None or not last.isdecimal() else seconds + int(last) / 10**fraction


def _goal_line(block: _Block, line: Line, report: Report, out: Output) -> None:
    """Read a system's line: velocity, index and address spaces are the last words up to ADRSP."""
    words = line.text[: block.goal_end + 1].split()
    if len(words) < 4 or number(words[-1]) is None:
        block.goal_end = 0
        return
    row = {
        "goal": block.goal,
        "system_name": words[0],
        "vel_pct": number(words[-3]),
        "perf_indx": number(words[-2]),
        "avg_adrsp": number(words[-1]),
    }
    out.add("rmf_workload_goal", report.row(line.number, **(block.keys | row)))


def _state_cells(above: str, text: str) -> list[Cell]:
    """Return the columns of states from the last two lines of their heading.

    A word below a group in dashes is named after both; SWITCHED is such a group without dashes.
    """
    groups: list[Cell] = []
    cells: list[Cell] = []
    for word in _STATE_WORD.finditer(above):
        name = word["group"] or ("SWITCHED" if word["switched"] else "")
        if name:
            groups.append(Cell(name, word.start(), word.end()))
        elif word[0] in ("READY", "IDLE"):
            cells.append(Cell(word[0], word.start(), word.end()))
    for word in list(re.finditer(r"\S+", text))[1:]:
        over = [g.name for g in groups if g.start <= word.end() and word.start() <= g.end]
        name = _RESP_TIME if word[0] == "(%)" else " ".join([*over[-1:], word[0]])
        cells.append(Cell(name, word.start(), word.end()))
    return sorted(cells, key=lambda cell: cell.start)


def _state_line(block: _Block, line: Line, report: Report, out: Output) -> None:
    """Read the states of one subsystem and phase."""
    match = _STATE_LINE.match(line.text)
    assert match
    figures = align(line.text[match.end() :].rjust(len(line.text)), block.states or [])
    if not figures:
        out.reject(line.number, "figures are not below the headings of the states")
        return
    share = number(figures.pop(_RESP_TIME, None))
    for state, figure in figures.items():
        row = {
            "subsystem": match[1],
            "phase": match[2],
            "resp_time_pct": share,
            "state": state,
            "samples_pct": number(figure),
        }
        out.add("rmf_workload_state", report.row(line.number, **(block.keys | row)))


def _close(block: _Block | None, report: Report, out: Output) -> None:
    if block is None:
        return
    if block.values:
        out.add("rmf_workload", report.row(block.line, **(block.keys | block.values)))
    else:
        out.reject(block.line, "a class without readable figures")
