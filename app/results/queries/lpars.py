"""The sysplex, its LPARs and their machine: processors, MSU, zIIPs, from SMF 70 and 72."""

from __future__ import annotations

from app.results.queries.clock import CAPACITY_DAYS
from app.results.queries.systems import (
    Page,
    Panel,
    Section,
    Table,
    Tile,
)

__all__ = ["PAGE"]

_PROCESSORS = "marts.fct_processor_interval"
_PARTITIONS = "marts.fct_lpar_interval"
_ZIIP = "marts.fct_ziip_interval"
_CAPACITY = "marts.fct_lpar_capacity_interval"
_CAPTURED = "marts.fct_cpu_reconciliation"
_CLASSES = "marts.fct_report_class_interval"
_TYPES = ("CP", "zIIP", "ICF")
_NO_CLASSES = "No report classes (SMF 72-3) in this time range."
_CPU = "general_purpose_seconds + ziip_cp_equivalent_seconds"
_AVERAGE = "coalesce(long_term_average_msu, four_hour_average_msu)"


def _busy(title: str, column: str, meaning: str) -> Panel:
    return Panel(
        title,
        "% busy",
        _PROCESSORS,
        column,
        series="processor_type",
        order=_TYPES,
        high=100,
        help=meaning,
    )


def _by_type(title: str, unit: str, value: str, meaning: str) -> Panel:
    return Panel(
        title, unit, _PROCESSORS, value, series="processor_type", order=_TYPES, help=meaning
    )


def _busy_tile(label: str, condition: str) -> Tile:
    return Tile(
        label,
        "%",
        _PROCESSORS,
        "mvs_busy_percent",
        "mean; max {}",
        "max(mvs_busy_percent)",
        where=condition,
    )


_OF_SYSPLEX = Section(
    "Sysplex",
    "All systems of the sysplex.",
    of="sysplex",
    panels=(
        Panel(
            "CPs used",
            "processors",
            _PROCESSORS,
            "busy_seconds / s",
            series="system_id",
            where="processor_type = 'CP'",
            ranked="CPU time",
            help="By system.",
        ),
        Panel(
            "zIIPs used",
            "processors",
            _PROCESSORS,
            "busy_seconds / s",
            series="system_id",
            where="processor_type = 'zIIP'",
            ranked="zIIP time",
            help="By system.",
            empty="No zIIPs in this time range.",
        ),
        Panel(
            "Capacity",
            "MSU",
            _CAPACITY,
            "sum(consumed_msu)",
            series="system_id",
            ranked="MSU",
            help="What each system consumed.",
        ),
        Panel(
            "CPU time of the whole sysplex",
            "processors",
            "(select *, null as system_id from marts.fct_sysplex_cpu_interval)",
            {
                "CP": "cp_seconds / s",
                "CP, captured": "captured_cp_seconds / s",
                "CP at idle": "idle_cp_seconds / s",
                "zIIP": "ziip_seconds / s",
                "zIIP, captured": "captured_ziip_seconds / s",
                "zIIP at idle": "idle_ziip_seconds / s",
            },
            help="Captured is charged to service classes. Idle is the least that a complete "
            "interval used.",
        ),
    ),
    tables=(
        Table(
            "",
            "systems",
            "(from marts.fct_processor_interval union all by name from "
            "marts.fct_lpar_capacity_interval)",
            by={"system": ("System", "concat_ws('/', sysplex, system_id)")},
            columns={
                "cp": (
                    "CPs busy, z/OS, %",
                    (
                        "sum(mvs_busy_percent * interval_seconds) filter (where processor_type = "
                        "'CP') / nullif(sum(interval_seconds) filter (where processor_type = 'CP' "
                        "and mvs_busy_percent is not null), 0)"
                    ),
                ),
                "most_cp": (
                    "CPs, most, %",
                    "max(mvs_busy_percent) filter (where processor_type = 'CP')",
                ),
                "ziip": (
                    "zIIPs, most, %",
                    "max(mvs_busy_percent) filter (where processor_type = 'zIIP')",
                ),
                "online": (
                    "CPs online",
                    "max(processors_online) filter (where processor_type = 'CP')",
                ),
                "msu": (
                    "MSU, mean",
                    (
                        "sum(consumed_msu * interval_seconds) / nullif(sum(interval_seconds) "
                        "filter (where consumed_msu is not null), 0)"
                    ),
                ),
                "average": ("Four-hour average, most, MSU", "max(long_term_average_msu)"),
                "defined": ("Defined capacity, MSU", "max(defined_capacity_msu)"),
                "machine": ("Machine", "any_value(machine_type || '-' || machine_model)"),
                "hiperdispatch": ("HiperDispatch", "any_value(hiperdispatch)"),
            },
            order="most_cp desc nulls last, system",
            leads=("", {"systems": "system"}),
            says="Click a system to see it below.",
        ),
    ),
)

PAGE = Page(
    title="LPARs",
    about="Processors, MSU and zIIPs of systems, their sysplex and machine, from SMF 70-1 and "
    "72-3.",
    records="CPU activity records (SMF 70-1)",
    links={"usage": "By hour and day"},
    tiles=(
        _busy_tile("CPs busy, z/OS", "processor_type = 'CP'"),
        _busy_tile("zIIPs busy, z/OS", "processor_type = 'zIIP'"),
        Tile(
            "Four-hour average",
            "MSU",
            _CAPACITY,
            f"max({_AVERAGE})",
            "peak; defined capacity {}",
            "max(nullif(defined_capacity_msu, 0))",
        ),
        Tile("zIIP-eligible", "%", _ZIIP, f"eligible_seconds % of {_CPU}", "of CPU time"),
        Tile(
            "zIIPs needed", "", _ZIIP, "max(ziips_needed)", "peak; {} online", "max(ziips_online)"
        ),
        Tile(
            "Captured",
            "%",
            _CAPTURED,
            "capture_percent",
            "of busy CP time",
            where="processor_type = 'CP'",
        ),
    ),
    sections=(
        _OF_SYSPLEX,
        Section(
            "Processors of the LPAR",
            panels=(
                _busy(
                    "Busy, as z/OS sees it", "mvs_busy_percent", "Online time not spent waiting."
                ),
                _busy(
                    "Busy, as PR/SM sees it",
                    "lpar_busy_percent",
                    "Time dispatched on physical processors.",
                ),
                _by_type(
                    "Processors used",
                    "processors",
                    "busy_seconds / s",
                    "Processors' worth of busy time.",
                ),
                _by_type(
                    "Work units that are ready or running",
                    "work units",
                    "in_ready_work_units",
                    "More than processors: work waits for CPU.",
                ),
                Panel(
                    "Online and parked",
                    "processors",
                    _PROCESSORS,
                    {"online": "sum(processors_online)", "parked": "parked_seconds / s"},
                    where="processor_type = 'CP'",
                    help="CPs; parked by HiperDispatch.",
                ),
                Panel(
                    "I/O interrupts",
                    "interrupts/s",
                    _PROCESSORS,
                    "sum(io_interrupts_per_second)",
                    empty="No I/O interrupts in this time range.",
                ),
                Panel(
                    "CPU by report class",
                    "processors",
                    _CLASSES,
                    "cpu_seconds / s",
                    series="report_class",
                    ranked="CPU time",
                    help="CP and zIIP time.",
                    empty=_NO_CLASSES,
                ),
            ),
        ),
        Section(
            "Capacity",
            panels=(
                Panel(
                    "Consumed capacity",
                    "MSU",
                    _CAPACITY,
                    {
                        "consumed": "sum(consumed_msu)",
                        "four-hour average": f"max({_AVERAGE})",
                        "defined capacity": "max(defined_capacity_msu)",
                        "available": "max(available_capacity_msu)",
                        "entitled by weight": "entitled_msu",
                        "latent demand": "sum(latent_demand_msu)",
                    },
                    help="The average is WLM's (SMF70LAC). Latent demand is the most that work "
                    "which waited for a processor would have added.",
                    empty="No partition data (SMF 70-1) in this time range.",
                ),
                Panel(
                    "Capping",
                    "% of samples",
                    _CAPACITY,
                    {
                        "soft capped": "max(soft_capped_percent)",
                        "limited by the cap": "max(capped_percent)",
                    },
                    high=100,
                ),
                Panel(
                    "Capacity group",
                    "MSU",
                    _CAPACITY,
                    {
                        "consumed": "group_consumed_msu",
                        "four-hour average": "group_four_hour_average_msu",
                        "limit": "max(group_capacity_msu)",
                        "unused": "group_unused_msu",
                    },
                    where="capacity_group is not null",
                    empty="The LPAR is in no capacity group.",
                ),
                Panel(
                    "Work that waits",
                    "work units",
                    _CAPACITY,
                    {
                        "ready or running": "in_ready_work_units",
                        "queued": "queued_work_units",
                    },
                    help="Mean over the interval.",
                ),
            ),
            tables=(
                Table(
                    "",
                    "capacity_by_day",
                    CAPACITY_DAYS,
                    columns={
                        "day": ("Local day", "local_date"),
                        "hours": ("Hours covered", "hours_covered"),
                        "peak": ("Highest four-hour average, MSU", "highest_average_msu"),
                        "hour": ("Peak hour", "peak_hour_utc"),
                        "busiest": ("Busiest hour, MSU", "busiest_hour_consumed_msu"),
                        "mean": ("Mean, MSU", "consumed_msu"),
                        "defined": ("Defined capacity, MSU", "lowest_defined_capacity_msu"),
                        "capped": ("Soft capped, h", "soft_capped_hours"),
                        "latent": ("Latent demand, most, MSU", "highest_latent_demand_msu"),
                    },
                    order="day desc",
                ),
            ),
        ),
        Section(
            "zIIPs",
            panels=(
                Panel(
                    "zIIP-eligible work",
                    "% of CPU time",
                    _ZIIP,
                    {
                        "eligible": "eligible_percent",
                        "ran on zIIPs": "offloaded_percent",
                        "eligible, ran on CPs": f"ziip_on_cp_seconds % of {_CPU}",
                    },
                    help="zIIP time is converted to the speed of a general-purpose processor.",
                    empty=_NO_CLASSES,
                ),
                Panel(
                    "zIIPs needed and online",
                    "zIIPs",
                    _ZIIP,
                    {"needed": "ziips_needed", "online": "ziips_online"},
                    help="Needed: to run all that is eligible.",
                    empty=_NO_CLASSES,
                ),
            ),
        ),
        Section(
            "Machine",
            "All partitions of the machine (CEC), from their own reports if they are loaded.",
            of="machine",
            panels=tuple(
                (
                    Panel(
                        f"{kind}s by partition",
                        f"% of the machine's {kind}s",
                        _PARTITIONS,
                        "machine_busy_percent * interval_seconds / s",
                        series="partition_name",
                        where=f"processor_type = '{kind}'",
                        ranked=f"{kind} time",
                        help=meaning,
                        empty=f"No {kind}s in this time range.",
                    )
                    for kind, meaning in (
                        ("CP", "Dispatched time as a share of the physical CPs."),
                        ("zIIP", "Dispatched time as a share of the physical zIIPs."),
                        ("ICF", "Coupling facilities; a dedicated ICF is always dispatched."),
                    )
                )
            ),
            tables=(
                Table(
                    "",
                    "partitions",
                    _PARTITIONS,
                    by={
                        "partition": ("Partition", "partition_name"),
                        "kind": ("Processors", "processor_type"),
                    },
                    columns={
                        "system": ("System", "max(partition_system)"),
                        "logical": ("Logical", "max(logical_processors)"),
                        "dedicated": ("Dedicated", "max(dedicated_processors)"),
                        "physical": ("Of physical", "max(physical_processors)"),
                        "weight": ("Weight", "max(weight)"),
                        "machine": ("Of the machine, %", "machine_busy_percent"),
                        "most": ("Of the machine, most, %", "max(machine_busy_percent)"),
                        "lpar": ("LPAR busy, most, %", "max(lpar_busy_percent)"),
                        "capped": ("Capped, most, %", "max(capped_percent)"),
                        "defined": ("Defined capacity, MSU", "max(defined_capacity_msu)"),
                        "grouped": ("Capacity group", "max(capacity_group)"),
                    },
                    order="kind, machine desc nulls last, partition",
                ),
            ),
        ),
        Section(
            "Reconciliation",
            "Processor time from SMF 70, and how much of it SMF 72 and SMF 30 account for. "
            "z/OS does not charge the rest to any work.",
            tables=(
                Table(
                    "",
                    "cpu_reconciliation",
                    _CAPTURED,
                    columns={
                        "start": ("Start", "interval_start_utc"),
                        "processor_type": "Type",
                        "processor_seconds": "SMF 70, s",
                        "class_seconds": "SMF 72, s",
                        "address_space_seconds": "SMF 30, s",
                        "capture_percent": "Captured, %",
                        "uncaptured_seconds": "Uncaptured, s",
                        "unexplained_seconds": "Unexplained, s",
                    },
                    order='"start", processor_type',
                ),
            ),
        ),
    ),
)
