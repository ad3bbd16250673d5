"""Processors and who used them, from SMF 70, 72 and 30."""

from __future__ import annotations

from app.results.queries.systems import (
    Column,
    Page,
    Panel,
    Section,
    Table,
    Tile,
    by,
    rate,
    share,
)

__all__ = ["PAGE"]

_PROCESSORS = "marts.fct_processor_interval"
_ZIIP = "marts.fct_ziip_interval"
_CAPACITY = "marts.fct_lpar_capacity_interval"
_CAPTURED = "marts.fct_cpu_reconciliation"
_CLASSES = "marts.fct_report_class_interval"
_SPACES = "marts.fct_address_space_interval"
_TYPES = ("CP", "zIIP")
_NO_CLASSES = "No report classes (SMF 72-3) in this time range."


def _busy(title: str, column: str, meaning: str) -> Panel:
    return Panel(
        title, "% busy", _PROCESSORS, f"avg({column})", series="processor_type", order=_TYPES,
        high=100, help=meaning,
    )  # fmt: skip


def _busy_tile(label: str, condition: str) -> Tile:
    return Tile(
        label, "%", _PROCESSORS, by("mvs_busy_percent", "interval_seconds"),
        "mean; max {}", "max(mvs_busy_percent)", where=condition,
    )  # fmt: skip


PAGE = Page(
    title="Processors",
    about="How busy, with whose work, and how much zIIPs could take, from SMF 70-1, 72-3 and 30.",
    records="CPU activity records (SMF 70-1)",
    tiles=(
        _busy_tile("CPs busy", "processor_type = 'CP'"),
        _busy_tile("zIIPs busy", "processor_type <> 'CP'"),
        Tile("zIIP-eligible", "%", _ZIIP,
             share("eligible_seconds", "general_purpose_seconds + ziip_cp_equivalent_seconds"),
             "of CPU time"),
        Tile("zIIPs needed", "", _ZIIP, "max(ziips_needed)", "peak; {} online",
             "max(ziips_online)"),
        Tile("Captured", "%", _CAPTURED, share("class_seconds", "processor_seconds"),
             "of busy CP time", where="processor_type = 'CP'"),
    ),
    sections=(
        Section(
            "Processor use",
            panels=(
                _busy("Busy, as z/OS sees it", "mvs_busy_percent",
                      "Online time not spent waiting."),
                _busy("Busy, as PR/SM sees it", "lpar_busy_percent",
                      "Time dispatched on physical processors."),
                Panel(
                    "CPU by report class", "processors", _CLASSES, rate("cpu_seconds"),
                    series="class_name", merge="rate", ranked="CPU time",
                    help="CP and zIIP time.", empty=_NO_CLASSES,
                ),
                Panel(
                    "zIIP-eligible work", "% of CPU time", _ZIIP,
                    {
                        "eligible": "avg(eligible_percent)",
                        "ran on zIIPs": "avg(offloaded_percent)",
                        "eligible, ran on CPs": share(
                            "ziip_on_cp_seconds",
                            "general_purpose_seconds + ziip_cp_equivalent_seconds",
                        ),
                    },
                    weight="sum(general_purpose_seconds + ziip_cp_equivalent_seconds)",
                    help="zIIP time is converted to the speed of a general-purpose processor.",
                    empty=_NO_CLASSES,
                ),
                Panel(
                    "Consumed capacity", "MSU", _CAPACITY,
                    {
                        "consumed": "sum(consumed_msu)",
                        "four-hour average":
                            "max(coalesce(long_term_average_msu, four_hour_average_msu))",
                        "defined capacity": "max(defined_capacity_msu)",
                        "latent demand": "sum(latent_demand_msu)",
                    },
                    help="The average is WLM's (SMF70LAC). Latent demand is the most that work "
                    "which waited for a processor would have added.",
                    empty="No partition data (SMF 70-1) in this time range.",
                ),
            ),
        ),
        Section(
            "Address spaces",
            "From SMF 30 intervals, over the whole time range.",
            tables=(
                Table(
                    "", "address_spaces", _SPACES,
                    {
                        "job_name": Column("Job", "job_name", None, group=True),
                        "report_class": Column("Report class", "report_class", None, group=True),
                        "cpu_seconds": Column("CPU, s", "sum(cpu_seconds)"),
                        "general_purpose_seconds":
                            Column("On CPs, s", "sum(general_purpose_seconds)"),
                        "ziip_cp_equivalent_seconds":
                            Column("On zIIPs, s at CP speed", "sum(ziip_cp_equivalent_seconds)"),
                        "ziip_on_cp_seconds":
                            Column("Eligible on CPs, s", "sum(ziip_on_cp_seconds)"),
                        "eligible_percent":
                            Column("Eligible, %", share("eligible_seconds", "cpu_seconds")),
                        "dasd_requests": Column("DASD requests", "sum(dasd_requests)", 0),
                    },
                    order="cpu_seconds desc nulls last, job_name",
                    where="record_subtype in (2, 3)",
                ),
            ),
        ),
        Section(
            "Reconciliation",
            "Processor time from SMF 70, and how much of it SMF 72 and SMF 30 account for. "
            "z/OS does not charge the rest to any work.",
            tables=(
                Table(
                    "", "cpu_reconciliation", _CAPTURED,
                    {
                        "start": Column("Start, UTC", "interval_start_utc", None),
                        "processor_type": Column("Type", "processor_type", None),
                        "processor_seconds": Column("SMF 70, s", "processor_seconds"),
                        "class_seconds": Column("SMF 72, s", "class_seconds"),
                        "address_space_seconds": Column("SMF 30, s", "address_space_seconds"),
                        "capture_percent": Column("Captured, %", "capture_percent", 2),
                        "uncaptured_seconds": Column("Uncaptured, s", "uncaptured_seconds"),
                        "unexplained_seconds":
                            Column("Unexplained, s", "unexplained_seconds", 2),
                    },
                    order='"start", processor_type',
                ),
            ),
        ),
    ),
)  # fmt: skip
