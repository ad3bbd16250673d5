"""Write RMF's CPU Activity and Partition Data reports.

Percentages, productivity and rates have two decimals, shares and capping one. The multithreading
columns are printed if a report has figures for them. A processor without a figure for a column of
its type has dashes. The total of a type follows the lines of the type.
"""

from __future__ import annotations

from models_sim.simulator.outputs.rmf.page import clock, ends, figure, line, page, reports
from models_sim.simulator.outputs.text import Row, Tables, whole

__all__ = ["CPU", "MACHINE", "PARTITION", "write_cpu", "write_partitions"]

MACHINE = ("cpu", "model", "h_w_model", "cpc_capacity", "sequence_code", "hiperdispatch",
           "change_reason", "boost_type", "boost_class")  # fmt: skip
CPU = ("cpu_num", "cpu_type", "is_total", "online_pct", "lpar_busy_pct", "mvs_busy_pct",
       "parked_pct", "mt_prod_pct", "mt_util_pct", "log_proc_share_pct", "hiperdispatch_priority",
       "io_interrupt_rate", "io_interrupts_via_tpi_pct")  # fmt: skip
PARTITION = (
    "mvs_partition_name", "name", "is_total", "status", "boost_type", "weight", "weight_printed",
    "msu_defined", "msu_actual", "capping_defined", "capping_wlm_pct", "processor_num",
    "processor_type", "effective_dispatch_seconds", "total_dispatch_seconds",
    "logical_effective_pct", "logical_total_pct", "physical_lpar_mgmt_pct",
    "physical_effective_pct", "physical_total_pct",
)  # fmt: skip
_TIMES = "    ---------------- TIME % ----------------  "
_CPU_HEADING = {
    False: (
        f"---CPU---{_TIMES}LOG PROC      --I/O INTERRUPTS--",
        "NUM  TYPE    ONLINE    LPAR BUSY    MVS BUSY   PARKED  SHARE  %         RATE  % VIA TPI",
    ),
    True: (
        f"---CPU---{_TIMES} --- MT % ----  LOG PROC      --I/O INTERRUPTS--",
        (
            "NUM  TYPE    ONLINE    LPAR BUSY    MVS BUSY   PARKED   PROD     UTIL  SHARE  %"
            "         RATE  % VIA TPI"
        ),
    ),
}
#: The left, middle and right part of each heading line.
_PARTITION_HEADING = tuple(
    "  ".join(parts)
    for parts in (
        (
            "--------------------- PARTITION DATA ---------------------",
            "---- LOGICAL PARTITION PROCESSOR DATA ---",
            "------ AVERAGE PROCESSOR UTILIZATION PERCENTAGES ------",
        ),
        (
            "                               ----MSU----    --CAPPING---",
            "--PROCESSOR--  ----DISPATCH TIME DATA----",
            "  LOGICAL PROCESSORS  ------ PHYSICAL PROCESSORS ------",
        ),
        (
            "NAME         S    BT      WGT    DEF    ACT   DEF     WLM%",
            "  NUM   TYPE    EFFECTIVE       TOTAL    ",
            "  EFFECTIVE    TOTAL    LPAR MGMT    EFFECTIVE    TOTAL",
        ),
    )
)
_DASHES = "-----"


def write_cpu(tables: Tables) -> list[str]:
    """Return the CPU Activity reports of rmf_cpu_machine and rmf_cpu."""
    printed: list[str] = []
    columns = {"rmf_cpu_machine": MACHINE, "rmf_cpu": CPU}
    for heading, rows in reports(tables, columns):
        printed += page("CPU ACTIVITY", heading)
        for machine in rows["rmf_cpu_machine"]:
            printed += _machine(machine)
        if processors := rows["rmf_cpu"]:
            has_mt = any(row["mt_prod_pct"] is not None for row in processors)
            printed += [*_CPU_HEADING[has_mt], *_processors(processors, has_mt)]
    return printed


def _machine(row: Row) -> list[str]:
    """Return the machine's three lines, without what the row does not have."""

    def said(name: str, label: str, sign: str = " ") -> str:
        return "" if row[name] is None else f"{label}{sign}{row[name]}"

    capacity = row["cpc_capacity"]
    lines = (
        (f"CPU        {row['cpu']}", "" if capacity is None else f"CPC CAPACITY {whole(capacity)}",
         said("sequence_code", "SEQUENCE CODE")),
        (said("model", "MODEL", " " * 6), said("change_reason", "CHANGE REASON", "="),
         said("hiperdispatch", "HIPERDISPATCH", "=")),
        (said("h_w_model", "H/W MODEL", "  "), said("boost_type", "BOOST TYPE", "="),
         said("boost_class", "BOOST CLASS", "=")),
    )  # fmt: skip
    return [f"{a:<17} {b:<25} {c}".rstrip() for a, b, c in lines]


def _processors(rows: list[Row], has_mt: bool) -> list[str]:
    """Return the lines of processors (a core's further threads without its number) and totals."""
    heading = _CPU_HEADING[has_mt][1]
    mt = ("PROD", "UTIL") if has_mt else ()
    number, kind, online, lpar, mvs, parked, *mt_ends, share, rate, tpi = ends(
        heading, "NUM", "TYPE", "ONLINE", "LPAR BUSY", "MVS BUSY", "PARKED", *mt, "SHARE", "RATE",
        "% VIA TPI",
    )  # fmt: skip
    printed = []
    last: tuple[str | None, str | None] = (None, None)
    for row in rows:
        this = row["cpu_num"], row["cpu_type"]
        is_thread = not row["is_total"] and this == last
        last = this
        absent = "" if is_thread else _DASHES
        priority = row["hiperdispatch_priority"]
        front = [] if is_thread else [(number - 1, this[0] or ""), (kind - 1, this[1] or "")]
        cells = [
            *([(13, "TOTAL/AVERAGE")] if row["is_total"] else front),
            (online, figure(row["online_pct"], 2)),
            (lpar, figure(row["lpar_busy_pct"], 2)),
            (mvs, figure(row["mvs_busy_pct"], 2, _DASHES)),
            (parked, figure(row["parked_pct"], 2)),
            *((end, figure(row[name], 2, absent))
              for end, name in zip(mt_ends, ("mt_prod_pct", "mt_util_pct"), strict=False)),
            (share, figure(row["log_proc_share_pct"], 1, absent)),
            (share + 5, f"{priority:<4}" if priority else ""),
            (rate, figure(row["io_interrupt_rate"], 2)),
            (tpi, figure(row["io_interrupts_via_tpi_pct"], 2)),
        ]  # fmt: skip
        printed.append(line(*((end, text) for end, text in cells if text)).rstrip())
    return printed


def write_partitions(tables: Tables) -> list[str]:
    """Return the Partition Data reports of rmf_partition."""
    printed: list[str] = []
    for heading, rows in reports(tables, {"rmf_partition": PARTITION}):
        own = rows["rmf_partition"][0]["mvs_partition_name"]
        printed += page("PARTITION DATA REPORT", heading)
        if own is not None:
            printed.append(f"MVS PARTITION NAME               {own}")
        printed += [*_PARTITION_HEADING, *_partitions(rows["rmf_partition"])]
    return printed


def _partitions(rows: list[Row]) -> list[str]:
    """Return the lines of partitions.

    Totals and *PHYSICAL* have no type but that of the lines above.
    """
    printed = []
    above: str | None = None
    percents = ("logical_effective_pct", "logical_total_pct", "physical_lpar_mgmt_pct",
                "physical_effective_pct", "physical_total_pct")  # fmt: skip
    _, status, boost, weight, defined, actual, capping, wlm, number, kind, effective, total, *at = (
        ends(_PARTITION_HEADING[2], "NAME", "S", "BT", "WGT", "DEF", "ACT", "DEF", "WLM%", "NUM",
             "TYPE", "EFFECTIVE", "TOTAL", "EFFECTIVE", "TOTAL", "LPAR MGMT", "EFFECTIVE", "TOTAL")
    )  # fmt: skip
    for row in rows:
        is_other = row["is_total"] or row["name"] == "*PHYSICAL*" or row["status"] == "D"
        said = "" if is_other and row["processor_type"] == above else row["processor_type"] or ""
        above = row["processor_type"]
        shown = row["weight_printed"] or ("" if row["weight"] is None else whole(row["weight"]))
        cells = [
            (len(row["name"]), row["name"]),
            (status, row["status"] or ""),
            (boost, row["boost_type"] or ""),
            (weight, shown),
            (defined, figure(row["msu_defined"], 0)),
            (actual, figure(row["msu_actual"], 0)),
            (capping + 2, row["capping_defined"] or ""),
            (wlm, figure(row["capping_wlm_pct"], 1)),
            (number, "" if row["processor_num"] is None else whole(round(row["processor_num"], 1))),
            (kind, said),
            (effective + 2, clock(row["effective_dispatch_seconds"], hours=True)),
            (total + 5, clock(row["total_dispatch_seconds"], hours=True)),
            *((end, figure(row[name], 2)) for end, name in zip(at, percents, strict=True)),
        ]
        printed.append(line(*((end, text) for end, text in cells if text)))
        if row["is_total"]:
            printed.append("")
    return printed
