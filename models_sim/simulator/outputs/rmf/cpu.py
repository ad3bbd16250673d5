"""RMF's CPU Activity and Partition Data reports.

Percentages and rates have two decimals, shares and capping one. A processor without a figure for a
column of its type has dashes. The total of a type follows the lines of the type.
"""

from __future__ import annotations

from models_sim.simulator.outputs.rmf.page import (
    Row,
    Tables,
    clock,
    ends,
    figure,
    line,
    page,
    reports,
)

__all__ = ["write_cpu", "write_partitions"]

_CPU_HEADING = (
    ("---CPU---    ---------------- TIME % ----------------  LOG PROC      --I/O INTERRUPTS--"),
    "NUM  TYPE    ONLINE    LPAR BUSY    MVS BUSY   PARKED  SHARE  %         RATE  % VIA TPI",
)
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
    for heading, rows in reports(tables, ("rmf_cpu_machine", "rmf_cpu")):
        printed += page("CPU ACTIVITY", heading)
        for row in rows["rmf_cpu_machine"]:
            printed += [
                f"{'CPU        ' + row['cpu']:<43} SEQUENCE CODE {row['sequence_code']}",
                f"{'MODEL      ' + row['model']:<43} HIPERDISPATCH={row['hiperdispatch']}",
                f"H/W MODEL  {row['h_w_model']}",
            ]
        printed += [*_CPU_HEADING, *map(_processor, rows["rmf_cpu"])]
    return printed


def _processor(row: Row) -> str:
    """Return the line of a processor or of a total."""
    number, kind, online, lpar, mvs, parked, share, rate, tpi = ends(
        _CPU_HEADING[1], "NUM", "TYPE", "ONLINE", "LPAR BUSY", "MVS BUSY", "PARKED", "SHARE",
        "RATE", "% VIA TPI",
    )  # fmt: skip
    names = [(number - 1, row["cpu_num"]), (kind - 1, row["cpu_type"])]
    return line(
        *([(13, "TOTAL/AVERAGE")] if row["is_total"] else names),
        (online, figure(row["online_pct"], 2)),
        (lpar, figure(row["lpar_busy_pct"], 2)),
        (mvs, figure(row["mvs_busy_pct"], 2, _DASHES)),
        (parked, figure(row["parked_pct"], 2)),
        (share, figure(row["log_proc_share_pct"], 1, _DASHES)),
        (share + 5, f"{row['hiperdispatch_priority'] or '':<4}".removeprefix(" " * 4)),
        (rate, figure(row["io_interrupt_rate"], 2)),
        (tpi, figure(row["io_interrupts_via_tpi_pct"], 2)),
    ).rstrip()


def write_partitions(tables: Tables) -> list[str]:
    """Return the Partition Data reports of rmf_partition."""
    printed: list[str] = []
    for heading, rows in reports(tables, ["rmf_partition"]):
        partitions = rows["rmf_partition"]
        printed += page("PARTITION DATA REPORT", heading)
        printed.append(f"MVS PARTITION NAME               {partitions[0]['mvs_partition_name']}")
        printed += _PARTITION_HEADING
        above = None
        for row in partitions:
            # Totals and *PHYSICAL* have no type but that of the lines above.
            is_partition = not row["is_total"] and row["name"] != "*PHYSICAL*"
            kind = row["processor_type"] if is_partition or row["processor_type"] != above else ""
            above = row["processor_type"]
            printed.append(_partition(row, kind))
            if row["is_total"]:
                printed.append("")
    return printed


def _partition(row: Row, processor_type: str) -> str:
    percents = ("logical_effective_pct", "logical_total_pct", "physical_lpar_mgmt_pct",
                "physical_effective_pct", "physical_total_pct")  # fmt: skip
    status, boost, weight, defined, actual, capping, wlm, number, kind, effective, total, *at = (
        ends(_PARTITION_HEADING[2], "NAME", "S", "BT", "WGT", "DEF", "ACT", "DEF", "WLM%", "NUM",
             "TYPE", "EFFECTIVE", "TOTAL", "EFFECTIVE", "TOTAL", "LPAR MGMT", "EFFECTIVE",
             "TOTAL")[1:]
    )  # fmt: skip
    dispatched = row["effective_dispatch_seconds"]
    return line(
        (len(row["name"]), row["name"]),
        (status, row["status"] or ""),
        (boost, row["boost_type"] or ""),
        (weight, row["weight_printed"] or ""),
        (defined, figure(row["msu_defined"], 0)),
        (actual, figure(row["msu_actual"], 0)),
        (capping + 2, row["capping_defined"] or ""),
        (wlm, figure(row["capping_wlm_pct"], 1)),
        (number, figure(row["processor_num"], 1).removesuffix(".0")),
        (kind, processor_type),
        (effective + 2, "" if dispatched is None else clock(dispatched, hours=True)),
        (total + 5, clock(row["total_dispatch_seconds"], hours=True)),
        *((end, figure(row[name], 2)) for end, name in zip(at, percents, strict=True)),
    )
