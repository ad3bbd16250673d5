"""The sysplex, its LPARs and their machine: processors, MSU, zIIPs, from SMF 70 and 72."""

from __future__ import annotations

from app.results.queries.clock import CAPACITY_DAYS
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
        f"avg({column})",
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
        by("mvs_busy_percent", "interval_seconds"),
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
            rate("busy_seconds"),
            series="system_id",
            merge="rate",
            where="processor_type = 'CP'",
            ranked="CPU time",
            help="By system.",
        ),
        Panel(
            "zIIPs used",
            "processors",
            _PROCESSORS,
            rate("busy_seconds"),
            series="system_id",
            merge="rate",
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
                "CP": rate("cp_seconds"),
                "CP, captured": rate("captured_cp_seconds"),
                "CP at idle": rate("idle_cp_seconds"),
                "zIIP": rate("ziip_seconds"),
                "zIIP, captured": rate("captured_ziip_seconds"),
                "zIIP at idle": rate("idle_ziip_seconds"),
            },
            help="Captured is charged to service classes. Idle is the least that a complete "
            "interval used.",
        ),
    ),
    tables=(
        Table(
            "",
            "systems",
            "(from marts.fct_processor_interval union all by name "
            "from marts.fct_lpar_capacity_interval)",
            {
                "system": Column("System", "concat_ws('/', sysplex, system_id)", group=True),
                "cp": Column(
                    "CPs busy, z/OS, %",
                    "sum(mvs_busy_percent * interval_seconds) filter "
                    "(where processor_type = 'CP') / nullif(sum(interval_seconds) filter "
                    "(where processor_type = 'CP' and mvs_busy_percent is not null), 0)",
                ),
                "most_cp": Column(
                    "CPs, most, %", "max(mvs_busy_percent) filter (where processor_type = 'CP')"
                ),
                "ziip": Column(
                    "zIIPs, most, %", "max(mvs_busy_percent) filter (where processor_type = 'zIIP')"
                ),
                "online": Column(
                    "CPs online", "max(processors_online) filter (where processor_type = 'CP')"
                ),
                "msu": Column(
                    "MSU, mean",
                    "sum(consumed_msu * interval_seconds) / "
                    "nullif(sum(interval_seconds) filter (where consumed_msu is not "
                    "null), 0)",
                ),
                "average": Column("Four-hour average, most, MSU", "max(long_term_average_msu)"),
                "defined": Column("Defined capacity, MSU", "max(defined_capacity_msu)"),
                "machine": Column("Machine", "any_value(machine_type || '-' || machine_model)"),
                "hiperdispatch": Column("HiperDispatch", "any_value(hiperdispatch)"),
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
        Tile("zIIP-eligible", "%", _ZIIP, share("eligible_seconds", _CPU), "of CPU time"),
        Tile(
            "zIIPs needed", "", _ZIIP, "max(ziips_needed)", "peak; {} online", "max(ziips_online)"
        ),
        Tile(
            "Captured",
            "%",
            _CAPTURED,
            share("class_seconds", "processor_seconds"),
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
                    rate("busy_seconds"),
                    "Processors' worth of busy time.",
                ),
                _by_type(
                    "Work units that are ready or running",
                    "work units",
                    "avg(in_ready_work_units)",
                    "More than processors: work waits for CPU.",
                ),
                Panel(
                    "Online and parked",
                    "processors",
                    _PROCESSORS,
                    {"online": "sum(processors_online)", "parked": rate("parked_seconds")},
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
                    rate("cpu_seconds"),
                    series="report_class",
                    merge="rate",
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
                        "entitled by weight": "max(entitled_msu)",
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
                    merge="max",
                    high=100,
                ),
                Panel(
                    "Capacity group",
                    "MSU",
                    _CAPACITY,
                    {
                        "consumed": "max(group_consumed_msu)",
                        "four-hour average": "max(group_four_hour_average_msu)",
                        "limit": "max(group_capacity_msu)",
                        "unused": "max(group_unused_msu)",
                    },
                    where="capacity_group is not null",
                    empty="The LPAR is in no capacity group.",
                ),
                Panel(
                    "Work that waits",
                    "work units",
                    _CAPACITY,
                    {
                        "ready or running": "avg(in_ready_work_units)",
                        "queued": "avg(queued_work_units)",
                    },
                    help="Mean over the interval.",
                ),
            ),
            tables=(
                Table(
                    "",
                    "capacity_by_day",
                    CAPACITY_DAYS,
                    {
                        "day": Column("Local day", "local_date"),
                        "hours": Column("Hours covered", "hours_covered"),
                        "peak": Column("Highest four-hour average, MSU", "highest_average_msu"),
                        "hour": Column("Peak hour", "peak_hour_utc"),
                        "busiest": Column("Busiest hour, MSU", "busiest_hour_consumed_msu"),
                        "mean": Column("Mean, MSU", "consumed_msu"),
                        "defined": Column("Defined capacity, MSU", "lowest_defined_capacity_msu"),
                        "capped": Column("Soft capped, h", "soft_capped_hours"),
                        "latent": Column("Latent demand, most, MSU", "highest_latent_demand_msu"),
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
                        "eligible": "avg(eligible_percent)",
                        "ran on zIIPs": "avg(offloaded_percent)",
                        "eligible, ran on CPs": share("ziip_on_cp_seconds", _CPU),
                    },
                    weight=f"sum({_CPU})",
                    help="zIIP time is converted to the speed of a general-purpose processor.",
                    empty=_NO_CLASSES,
                ),
                Panel(
                    "zIIPs needed and online",
                    "zIIPs",
                    _ZIIP,
                    {"needed": "max(ziips_needed)", "online": "max(ziips_online)"},
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
                Panel(
                    f"{kind}s by partition",
                    f"% of the machine's {kind}s",
                    _PARTITIONS,
                    "sum(machine_busy_percent)",
                    series="partition_name",
                    merge="rate",
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
            ),
            tables=(
                Table(
                    "",
                    "partitions",
                    _PARTITIONS,
                    {
                        "partition": Column("Partition", "partition_name", group=True),
                        "kind": Column("Processors", "processor_type", group=True),
                        "system": Column("System", "max(partition_system)"),
                        "logical": Column("Logical", "max(logical_processors)"),
                        "dedicated": Column("Dedicated", "max(dedicated_processors)"),
                        "physical": Column("Of physical", "max(physical_processors)"),
                        "weight": Column("Weight", "max(weight)"),
                        "machine": Column(
                            "Of the machine, %", by("machine_busy_percent", "interval_seconds")
                        ),
                        "most": Column("Of the machine, most, %", "max(machine_busy_percent)"),
                        "lpar": Column("LPAR busy, most, %", "max(lpar_busy_percent)"),
                        "capped": Column("Capped, most, %", "max(capped_percent)"),
                        "defined": Column("Defined capacity, MSU", "max(defined_capacity_msu)"),
                        "grouped": Column("Capacity group", "max(capacity_group)"),
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
                    {
                        "start": Column("Start", "interval_start_utc"),
                        "processor_type": Column("Type", "processor_type"),
                        "processor_seconds": Column("SMF 70, s", "processor_seconds"),
                        "class_seconds": Column("SMF 72, s", "class_seconds"),
                        "address_space_seconds": Column("SMF 30, s", "address_space_seconds"),
                        "capture_percent": Column("Captured, %", "capture_percent"),
                        "uncaptured_seconds": Column("Uncaptured, s", "uncaptured_seconds"),
                        "unexplained_seconds": Column("Unexplained, s", "unexplained_seconds"),
                    },
                    order='"start", processor_type',
                ),
            ),
        ),
    ),
)
