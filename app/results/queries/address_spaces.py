"""Address spaces: CPU, zIIP, I/O and storage, from the intervals of SMF 30."""

from __future__ import annotations

from app.results.queries.systems import Column, Page, Panel, Pick, Section, Table, Tile, rate, share

__all__ = ["PAGE"]

# Intervals of address spaces begin fractions of a second apart; RMF's are the same for all.
_SPACES = """(
    select * replace (coalesce(rmf_interval_start_utc, interval_start_utc) as interval_start_utc)
    from marts.fct_address_space_interval
)"""
# Intervals of jobs and started tasks (2, 3) and of system address spaces (6); the others are ends
# of steps and jobs, whose time is in these.
_INTERVALS = "record_subtype in (2, 3, 6)"
_NONE = "No SMF 30 intervals in this time range."
_CPU = {
    "task (TCB)": "tcb_seconds",
    "service request (SRB)": "srb_seconds",
    "preemptable SRB": "preemptable_srb_seconds",
    "independent enclaves": "independent_enclave_seconds",
    "dependent enclaves": "dependent_enclave_seconds",
    "I/O interrupts": "io_interrupt_seconds",
    "initiator": "initiator_seconds",
    "region control": "region_control_seconds",
    "hiperspace": "hiperspace_seconds",
}
_FIRST = Pick(
    "Service class", "service_class", "service_class", _SPACES, "sum(cpu_seconds)", where=_INTERVALS
)
_REPORT = Pick(
    "Report class", "report_class", "report_class", _SPACES, "sum(cpu_seconds)", where=_INTERVALS
)
_JOB = Pick("Address space", "job", "job_name", _SPACES, "sum(cpu_seconds)", where=_INTERVALS)


def _by_job(title: str, unit: str, value: str, ranked: str, meaning: str = "") -> Panel:
    return Panel(
        title,
        unit,
        _SPACES,
        value,
        series="job_name",
        merge="rate",
        where=_INTERVALS,
        ranked=ranked,
        help=meaning,
        empty=_NONE,
    )


def _of_job(title: str, unit: str, values: dict[str, str], meaning: str = "") -> Panel:
    return Panel(
        title, unit, _SPACES, values, merge="rate", where=_INTERVALS, help=meaning, empty=_NONE
    )


PAGE = Page(
    title="Address spaces",
    about="What address spaces used, from the intervals of SMF 30.",
    records="address spaces (SMF 30)",
    links={"usage": "By hour and day"},
    tiles=(
        Tile(
            "Most CPU",
            "s",
            _SPACES,
            "max(cpu_seconds)",
            "{} in an interval",
            "arg_max(job_name, cpu_seconds)",
            where=_INTERVALS,
        ),
        Tile(
            "zIIP-eligible",
            "%",
            _SPACES,
            share("eligible_seconds", "cpu_seconds"),
            "of CPU time",
            where=_INTERVALS,
        ),
        Tile(
            "Eligible on CPs", "s", _SPACES, "sum(ziip_on_cp_seconds)", "CPU time", where=_INTERVALS
        ),
        Tile(
            "Most DASD requests",
            "/s",
            _SPACES,
            "max(dasd_requests_per_second)",
            "{}",
            "arg_max(job_name, dasd_requests_per_second)",
            where=_INTERVALS,
        ),
        Tile(
            "Most storage",
            "bytes",
            _SPACES,
            "max(real_above_bar_bytes)",
            "real, above the bar: {}",
            "arg_max(job_name, real_above_bar_bytes)",
            where=_INTERVALS,
        ),
    ),
    sections=(
        Section(
            "By address space",
            pick=_FIRST,
            panels=(
                _by_job(
                    "CPU",
                    "processors",
                    rate("cpu_seconds"),
                    "CPU time",
                    "CP and zIIP time, at the speed of a general-purpose processor.",
                ),
                _by_job("zIIP time", "zIIPs", rate("ziip_seconds"), "zIIP time"),
                _by_job(
                    "zIIP-eligible, ran on CPs",
                    "processors",
                    rate("ziip_on_cp_seconds"),
                    "such time",
                ),
                _by_job("DASD requests", "requests/s", rate("dasd_requests"), "requests"),
                _by_job(
                    "DASD connect time", "s per s", rate("dasd_connect_seconds"), "connect time"
                ),
                _by_job(
                    "Real storage above the bar",
                    "MB",
                    "sum(real_above_bar_bytes) / 1048576",
                    "storage",
                ),
            ),
            tables=(
                Table(
                    "",
                    "address_spaces",
                    _SPACES,
                    {
                        "job_name": Column("Job", "job_name", group=True),
                        "work_type": Column("Kind", "any_value(work_type)"),
                        "service_class": Column("Service class", "service_class", group=True),
                        "report_class": Column("Report class", "report_class", group=True),
                        "cpu_seconds": Column("CPU, s", "sum(cpu_seconds)"),
                        "general_purpose_seconds": Column(
                            "On CPs, s", "sum(general_purpose_seconds)"
                        ),
                        "ziip_cp_equivalent_seconds": Column(
                            "On zIIPs, s at CP speed", "sum(ziip_cp_equivalent_seconds)"
                        ),
                        "ziip_on_cp_seconds": Column(
                            "Eligible on CPs, s", "sum(ziip_on_cp_seconds)"
                        ),
                        "eligible_percent": Column(
                            "Eligible, %", share("eligible_seconds", "cpu_seconds")
                        ),
                        "highest_task_percent": Column(
                            "Busiest task, %", "max(highest_task_percent)"
                        ),
                        "dasd_requests": Column(
                            "DASD requests", "cast(sum(dasd_requests) as bigint)"
                        ),
                        "real_mb": Column(
                            "Real above the bar, most, MB", "max(real_above_bar_bytes) / 1048576"
                        ),
                        "intervals": Column("Intervals", "count(*)"),
                    },
                    order="cpu_seconds desc nulls last, job_name",
                    where=_INTERVALS,
                    leads=("", {"job": "job_name"}),
                    says="Click one to see it below.",
                ),
            ),
        ),
        Section(
            "By report class",
            pick=_REPORT,
            panels=(
                _by_job("CPU of the report class", "processors", rate("cpu_seconds"), "CPU time"),
                _by_job(
                    "DASD requests of the report class",
                    "requests/s",
                    rate("dasd_requests"),
                    "requests",
                ),
            ),
        ),
        Section(
            "One address space",
            "All of them together, until one is chosen.",
            pick=_JOB,
            panels=(
                _of_job(
                    "CPU time by kind",
                    "processors",
                    {name: rate(column) for name, column in _CPU.items()},
                    "On general-purpose processors, where time is charged.",
                ),
                _of_job(
                    "CPs and zIIPs",
                    "processors",
                    {
                        "on CPs": rate("general_purpose_seconds"),
                        "on zIIPs, at CP speed": rate("ziip_cp_equivalent_seconds"),
                        "eligible, ran on CPs": rate("ziip_on_cp_seconds"),
                    },
                ),
                _of_job(
                    "I/O",
                    "per second",
                    {
                        "blocks": rate("blocks"),
                        "DASD requests": rate("dasd_requests"),
                        "page-ins": rate("page_ins"),
                    },
                ),
                Panel(
                    "Storage",
                    "MB",
                    _SPACES,
                    {
                        "private below the bar": "sum(private_below_bar_bytes) / 1048576",
                        "private above the bar": "sum(private_above_bar_bytes) / 1048576",
                        "real above the bar": "sum(real_above_bar_bytes) / 1048576",
                    },
                    where=_INTERVALS,
                    empty=_NONE,
                ),
                Panel(
                    "Busiest task",
                    "% of a CP",
                    _SPACES,
                    "max(highest_task_percent)",
                    merge="max",
                    where=_INTERVALS,
                    help="The most that one task used.",
                    empty="These records do not have it.",
                ),
                Panel(
                    "zIIP-eligible work",
                    "% of CPU time",
                    _SPACES,
                    {
                        "eligible": share("eligible_seconds", "cpu_seconds"),
                        "ran on zIIPs": share("ziip_cp_equivalent_seconds", "cpu_seconds"),
                    },
                    weight="sum(cpu_seconds)",
                    where=_INTERVALS,
                    empty=_NONE,
                ),
            ),
            tables=(
                Table(
                    "",
                    "jobs",
                    _SPACES,
                    {
                        "job_name": Column("Job", "job_name", group=True),
                        "job_id": Column("Job ID", "job_id", group=True),
                        "step_name": Column("Step", "step_name", group=True),
                        "program": Column("Program", "program", group=True),
                        "user_id": Column("User", "user_id", group=True),
                        "asid": Column("ASID", "any_value(address_space_id)"),
                        "first": Column("First interval", "min(interval_start_utc)"),
                        "last": Column("Last ends", "max(interval_end_utc)"),
                        "cpu_seconds": Column("CPU, s", "sum(cpu_seconds)"),
                        "dasd_requests": Column(
                            "DASD requests", "cast(sum(dasd_requests) as bigint)"
                        ),
                        "cpu_issue": Column("CPU time in doubt", "max(cpu_issue)"),
                    },
                    order="cpu_seconds desc nulls last, job_name",
                    where=_INTERVALS,
                ),
            ),
        ),
    ),
)
