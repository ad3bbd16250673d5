"""Address spaces: CPU, zIIP, I/O and storage, from the intervals of SMF 30."""

from __future__ import annotations

from app.results.queries.systems import Page, Panel, Pick, Section, Table, Tile

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
        where=_INTERVALS,
        ranked=ranked,
        help=meaning,
        empty=_NONE,
    )


def _of_job(title: str, unit: str, values: dict[str, str], meaning: str = "") -> Panel:
    return Panel(title, unit, _SPACES, values, where=_INTERVALS, help=meaning, empty=_NONE)


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
            "eligible_percent",
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
                    "cpu_seconds / s",
                    "CPU time",
                    "CP and zIIP time, at the speed of a general-purpose processor.",
                ),
                _by_job("zIIP time", "zIIPs", "ziip_seconds / s", "zIIP time"),
                _by_job(
                    "zIIP-eligible, ran on CPs", "processors", "ziip_on_cp_seconds / s", "such time"
                ),
                _by_job("DASD requests", "requests/s", "dasd_requests / s", "requests"),
                _by_job("DASD connect time", "s per s", "dasd_connect_seconds / s", "connect time"),
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
                    by={
                        "job_name": ("Job", "job_name"),
                        "service_class": ("Service class", "service_class"),
                        "report_class": ("Report class", "report_class"),
                    },
                    columns={
                        "work_type": ("Kind", "any_value(work_type)"),
                        "cpu_seconds": "CPU, s",
                        "general_purpose_seconds": "On CPs, s",
                        "ziip_cp_equivalent_seconds": "On zIIPs, s at CP speed",
                        "ziip_on_cp_seconds": "Eligible on CPs, s",
                        "eligible_percent": ("Eligible, %", "eligible_percent"),
                        "highest_task_percent": "Busiest task, %",
                        "dasd_requests": "DASD requests",
                        "real_mb": (
                            "Real above the bar, most, MB",
                            "max(real_above_bar_bytes) / 1048576",
                        ),
                        "intervals": ("Intervals", "count(*)"),
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
                _by_job("CPU of the report class", "processors", "cpu_seconds / s", "CPU time"),
                _by_job(
                    "DASD requests of the report class",
                    "requests/s",
                    "dasd_requests / s",
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
                    {name: f"{column} / s" for name, column in _CPU.items()},
                    "On general-purpose processors, where time is charged.",
                ),
                _of_job(
                    "CPs and zIIPs",
                    "processors",
                    {
                        "on CPs": "general_purpose_seconds / s",
                        "on zIIPs, at CP speed": "ziip_cp_equivalent_seconds / s",
                        "eligible, ran on CPs": "ziip_on_cp_seconds / s",
                    },
                ),
                _of_job(
                    "I/O",
                    "per second",
                    {
                        "blocks": "blocks / s",
                        "DASD requests": "dasd_requests / s",
                        "page-ins": "page_ins / s",
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
                    where=_INTERVALS,
                    help="The most that one task used.",
                    empty="These records do not have it.",
                ),
                Panel(
                    "zIIP-eligible work",
                    "% of CPU time",
                    _SPACES,
                    {
                        "eligible": "eligible_percent",
                        "ran on zIIPs": "offloaded_percent",
                    },
                    where=_INTERVALS,
                    empty=_NONE,
                ),
            ),
            tables=(
                Table(
                    "",
                    "jobs",
                    _SPACES,
                    by={
                        "job_name": ("Job", "job_name"),
                        "job_id": ("Job ID", "job_id"),
                        "step_name": ("Step", "step_name"),
                        "program": ("Program", "program"),
                        "user_id": ("User", "user_id"),
                    },
                    columns={
                        "asid": ("ASID", "any_value(address_space_id)"),
                        "first": ("First interval", "min(interval_start_utc)"),
                        "last": ("Last ends", "max(interval_end_utc)"),
                        "cpu_seconds": "CPU, s",
                        "dasd_requests": "DASD requests",
                        "cpu_issue": ("CPU time in doubt", "max(cpu_issue)"),
                    },
                    order="cpu_seconds desc nulls last, job_name",
                    where=_INTERVALS,
                ),
            ),
        ),
    ),
)
