"""Service classes and report classes: goals, CPU, response times and delays, from SMF 72-3."""

from __future__ import annotations

from app.results.queries.systems import (
    Page,
    Panel,
    Pick,
    Section,
    Table,
    Tile,
)

__all__ = ["PAGE"]

_PERIODS = "marts.fct_service_class_period_interval"
_REPORT = "marts.fct_report_class_interval"
_CLASS = "service_class"
_REPORT_CLASS = "report_class"
# A period is part of a name only where a class has several.
_PERIOD = "service_class || if(period > 1, ' period ' || period, '')"
_CPU = "general_purpose_seconds + ziip_cp_equivalent_seconds"
_SAMPLES = "using_samples + delay_samples"
_DELAYS = {
    "CPU": "delay_cpu_samples",
    "zIIP": "delay_ziip_samples",
    "capping": "delay_capping_samples",
    "I/O": "delay_io_samples",
    "paging": "delay_paging_samples",
    "swap-in": "delay_swap_in_samples",
    "MPL": "delay_mpl_samples",
    "queue": "delay_queue_samples",
    "crypto": "delay_crypto_samples",
    "contention": "delay_contention_samples",
}
_RESPONSE = "the transactions that ended in the interval"


def _figures(mart: str, column: str, name: str, word: str) -> tuple[Panel, ...]:
    """Return the charts that service classes and report classes have in common."""
    return (
        Panel(
            f"CPU by {word}",
            "processors",
            mart,
            f"{_CPU} / s",
            series=column,
            ranked="CPU time",
            help="CP and zIIP time, at the speed of a general-purpose processor.",
        ),
        Panel(
            f"zIIP time by {word}",
            "zIIPs",
            mart,
            "ziip_seconds / s",
            series=column,
            ranked="zIIP time",
        ),
        Panel(
            "zIIP-eligible, ran on CPs",
            "processors",
            mart,
            "ziip_on_cp_seconds / s",
            series=column,
            ranked="such time",
        ),
        Panel(
            "Transactions",
            "transactions/s",
            mart,
            "transactions / s",
            series=name,
            ranked="transactions",
            where="transactions > 0",
            empty="No transactions ended in this time range.",
        ),
        Panel(
            "Response time",
            "s",
            mart,
            "response_seconds",
            series=name,
            where="transactions > 0",
            ranked="response time",
            help=f"Mean of {_RESPONSE}.",
            empty="No transactions ended in this time range.",
        ),
        Panel(
            "Velocity",
            "% execution velocity",
            mart,
            "velocity_percent",
            series=name,
            high=100,
            rank=f"sum({_SAMPLES})",
            ranked="samples",
            help="Samples of using as a share of using and delay.",
        ),
    )


_GOALS = Section(
    "Service classes",
    pick=Pick("Service class", "service_class", _CLASS, _PERIODS, f"sum({_CPU})"),
    panels=(
        Panel(
            "Performance index",
            "index",
            _PERIODS,
            "max(performance_index)",
            series=_PERIOD,
            rank="max(performance_index)",
            ranked="trouble",
            help="Above 1: the goal is missed. The worst of each step.",
            empty="No class with a goal in this time range.",
        ),
        *_figures(_PERIODS, _CLASS, _PERIOD, "service class"),
        Panel(
            "What work waited for",
            "% of using and delay samples",
            _PERIODS,
            {name: f"{column} % of {_SAMPLES}" for name, column in _DELAYS.items()},
            help="Of the class that is chosen, or of all.",
        ),
        Panel(
            "What work used",
            "% of using and delay samples",
            _PERIODS,
            {
                "CPU": f"using_cpu_samples % of {_SAMPLES}",
                "zIIP": f"using_ziip_samples % of {_SAMPLES}",
                "zIIP work on CPs": f"ziip_work_on_cp_samples % of {_SAMPLES}",
                "I/O": f"using_io_samples % of {_SAMPLES}",
            },
            help="Of the class that is chosen, or of all.",
        ),
        Panel(
            "Response time by part",
            "s",
            _PERIODS,
            {
                "execution": "execution_seconds",
                "queue": "queue_seconds",
                "response": "response_seconds",
            },
            where="transactions > 0",
            help=f"Means of {_RESPONSE}.",
            empty="No transactions ended in this time range.",
        ),
        Panel(
            "DASD response",
            "µs per request",
            _PERIODS,
            {
                "IOS queue": "dasd_iosq_us",
                "pending": "dasd_pending_us",
                "disconnect": "dasd_disconnect_us",
                "connect": "dasd_connect_us",
            },
            where="dasd_requests > 0",
            empty="No DASD requests in this time range.",
        ),
        Panel(
            "Active transactions",
            "transactions",
            _PERIODS,
            "sum(active_transactions)",
            series=_CLASS,
            ranked="active transactions",
            help="Mean over the interval.",
            where="active_transactions > 0",
            empty="None in this time range.",
        ),
    ),
    tables=(
        Table(
            "",
            "service_classes",
            _PERIODS,
            by={
                "service_class": ("Service class", "service_class"),
                "period": ("Period", "period"),
            },
            columns={
                "workload": ("Workload", "any_value(workload)"),
                "importance": ("Importance", "min(importance)"),
                "goal": (
                    "Goal",
                    (
                        "any_value(case goal_type when 'velocity' then 'velocity ' || "
                        "cast(goal_velocity as integer) || ' %' when 'percentile' then "
                        "goal_percentile || ' % in ' || goal_seconds || ' s' when 'average' then "
                        "'average ' || goal_seconds || ' s' else goal_type end)"
                    ),
                ),
                "worst_index": ("Index, worst", "performance_index"),
                "missed_percent": (
                    "Goal missed, % of intervals",
                    (
                        "100 * count(*) filter (where performance_index > 1) / "
                        "nullif(count(performance_index), 0)"
                    ),
                ),
                "velocity_percent": ("Velocity, %", f"using_samples % of {_SAMPLES}"),
                "response_seconds": "Response, s",
                "transactions": "Transactions",
                "cpu_seconds": ("CPU, s", f"sum({_CPU})"),
                "ziip_seconds": "zIIP, s",
                "promoted_seconds": "CPU while promoted, s",
                "eligible_percent": (
                    "zIIP-eligible, %",
                    f"ziip_cp_equivalent_seconds + ziip_on_cp_seconds % of {_CPU}",
                ),
                "dasd_requests": "DASD requests",
            },
            order="worst_index desc nulls last, cpu_seconds desc nulls last, service_class, period",
            leads=("address-spaces", {"service_class": "service_class"}),
            says="Click a class for its address spaces.",
        ),
    ),
)

PAGE = Page(
    title="Workload",
    about="Whether work meets its goals, what it used and what it waited for, from SMF 72-3.",
    records="service and report classes (SMF 72-3)",
    tiles=(
        Tile(
            "Worst index",
            "",
            _PERIODS,
            "max(performance_index)",
            "{}",
            f"arg_max({_PERIOD}, performance_index)",
        ),
        Tile(
            "Goals missed",
            "%",
            _PERIODS,
            "100 * count(*) filter (where performance_index > 1) / "
            "nullif(count(performance_index), 0)",
            "of intervals and classes with a goal",
        ),
        Tile(
            "Most CPU",
            "CPUs",
            _PERIODS,
            f"max(({_CPU}) / interval_seconds)",
            "{} in an interval",
            f"arg_max(service_class, ({_CPU}) / interval_seconds)",
        ),
        Tile(
            "Transactions",
            "/s",
            _PERIODS,
            "sum(transactions) / nullif((max(epoch(interval_end_utc)) - "
            "min(epoch(interval_start_utc))), 0)",
            "all classes",
        ),
        Tile(
            "Waited for CPU",
            "%",
            _PERIODS,
            f"delay_cpu_samples % of {_SAMPLES}",
            "of using and delay samples",
        ),
    ),
    sections=(
        _GOALS,
        Section(
            "Report classes",
            pick=Pick("Report class", "report_class", _REPORT_CLASS, _REPORT, "sum(cpu_seconds)"),
            panels=_figures(_REPORT, _REPORT_CLASS, _REPORT_CLASS, "report class"),
            tables=(
                Table(
                    "",
                    "report_classes",
                    _REPORT,
                    by={"report_class": ("Report class", "report_class")},
                    columns={
                        "cpu_seconds": "CPU, s",
                        "general_purpose_seconds": "On CPs, s",
                        "ziip_seconds": "zIIP, s",
                        "eligible_percent": (
                            "zIIP-eligible, %",
                            "eligible_seconds % of cpu_seconds",
                        ),
                        "transactions": "Transactions",
                        "abended": ("Abended", "transactions_abended"),
                        "response_seconds": "Response, s",
                        "velocity_percent": ("Velocity, %", f"using_samples % of {_SAMPLES}"),
                        "dasd_requests": "DASD requests",
                        "service": "Service units",
                    },
                    order="cpu_seconds desc nulls last, report_class",
                    leads=("address-spaces", {"report_class": "report_class"}),
                    says="Click a class for its address spaces.",
                ),
            ),
        ),
    ),
)
