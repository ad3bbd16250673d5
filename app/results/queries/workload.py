"""Service classes and report classes: goals, CPU, response times and delays, from SMF 72-3."""

from __future__ import annotations

from app.results.queries.systems import (
    Column,
    Page,
    Panel,
    Pick,
    Section,
    Table,
    Tile,
    by,
    rate,
    share,
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
            f"sum({_CPU}) / max(interval_seconds)",
            series=column,
            merge="rate",
            ranked="CPU time",
            help="CP and zIIP time, at the speed of a general-purpose processor.",
        ),
        Panel(
            f"zIIP time by {word}",
            "zIIPs",
            mart,
            rate("ziip_seconds"),
            series=column,
            merge="rate",
            ranked="zIIP time",
        ),
        Panel(
            "zIIP-eligible, ran on CPs",
            "processors",
            mart,
            rate("ziip_on_cp_seconds"),
            series=column,
            merge="rate",
            ranked="such time",
        ),
        Panel(
            "Transactions",
            "transactions/s",
            mart,
            "sum(transactions_per_second)",
            series=name,
            merge="rate",
            ranked="transactions",
            where="transactions > 0",
            empty="No transactions ended in this time range.",
        ),
        Panel(
            "Response time",
            "s",
            mart,
            by("response_seconds", "transactions"),
            series=name,
            weight="sum(transactions)",
            where="transactions > 0",
            ranked="response time",
            help=f"Mean of {_RESPONSE}.",
            empty="No transactions ended in this time range.",
        ),
        Panel(
            "Velocity",
            "% execution velocity",
            mart,
            "avg(velocity_percent)",
            series=name,
            weight=f"sum({_SAMPLES})",
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
            merge="max",
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
            {name: share(column, _SAMPLES) for name, column in _DELAYS.items()},
            weight=f"sum({_SAMPLES})",
            help="Of the class that is chosen, or of all.",
        ),
        Panel(
            "What work used",
            "% of using and delay samples",
            _PERIODS,
            {
                "CPU": share("using_cpu_samples", _SAMPLES),
                "zIIP": share("using_ziip_samples", _SAMPLES),
                "zIIP work on CPs": share("ziip_work_on_cp_samples", _SAMPLES),
                "I/O": share("using_io_samples", _SAMPLES),
            },
            weight=f"sum({_SAMPLES})",
            help="Of the class that is chosen, or of all.",
        ),
        Panel(
            "Response time by part",
            "s",
            _PERIODS,
            {
                "execution": by("execution_seconds", "transactions"),
                "queue": by("queue_seconds", "transactions"),
                "response": by("response_seconds", "transactions"),
            },
            weight="sum(transactions)",
            where="transactions > 0",
            help=f"Means of {_RESPONSE}.",
            empty="No transactions ended in this time range.",
        ),
        Panel(
            "DASD response",
            "µs per request",
            _PERIODS,
            {
                "IOS queue": by("dasd_iosq_us", "dasd_requests"),
                "pending": by("dasd_pending_us", "dasd_requests"),
                "disconnect": by("dasd_disconnect_us", "dasd_requests"),
                "connect": by("dasd_connect_us", "dasd_requests"),
            },
            weight="sum(dasd_requests)",
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
            {
                "service_class": Column("Service class", "service_class", group=True),
                "period": Column("Period", "period", group=True),
                "workload": Column("Workload", "any_value(workload)"),
                "importance": Column("Importance", "min(importance)"),
                "goal": Column(
                    "Goal",
                    "any_value(case goal_type when 'velocity' then 'velocity ' || "
                    "cast(goal_velocity as integer) || ' %' when 'percentile' then "
                    "goal_percentile || ' % in ' || goal_seconds || ' s' when 'average' then "
                    "'average ' || goal_seconds || ' s' else goal_type end)",
                ),
                "worst_index": Column("Index, worst", "max(performance_index)"),
                "mean_index": Column("Index, mean", by("performance_index", "interval_seconds")),
                "missed_percent": Column(
                    "Goal missed, % of intervals",
                    "100 * count(*) filter (where "
                    "performance_index > 1) / nullif(count(performance_index), 0)",
                ),
                "velocity_percent": Column("Velocity, %", share("using_samples", _SAMPLES)),
                "response_seconds": Column("Response, s", by("response_seconds", "transactions")),
                "transactions": Column("Transactions", "cast(sum(transactions) as bigint)"),
                "cpu_seconds": Column("CPU, s", f"sum({_CPU})"),
                "ziip_seconds": Column("zIIP, s", "sum(ziip_seconds)"),
                "promoted_seconds": Column("CPU while promoted, s", "sum(promoted_seconds)"),
                "eligible_percent": Column(
                    "zIIP-eligible, %",
                    share("ziip_cp_equivalent_seconds + ziip_on_cp_seconds", _CPU),
                ),
                "dasd_requests": Column("DASD requests", "cast(sum(dasd_requests) as bigint)"),
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
            "100 * count(*) filter (where performance_index > 1)"
            " / nullif(count(performance_index), 0)",
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
            "sum(transactions) / nullif((max(epoch(interval_end_utc))"
            " - min(epoch(interval_start_utc))), 0)",
            "all classes",
        ),
        Tile(
            "Waited for CPU",
            "%",
            _PERIODS,
            share("delay_cpu_samples", _SAMPLES),
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
                    {
                        "report_class": Column("Report class", "report_class", group=True),
                        "cpu_seconds": Column("CPU, s", "sum(cpu_seconds)"),
                        "general_purpose_seconds": Column(
                            "On CPs, s", "sum(general_purpose_seconds)"
                        ),
                        "ziip_seconds": Column("zIIP, s", "sum(ziip_seconds)"),
                        "eligible_percent": Column(
                            "zIIP-eligible, %", share("eligible_seconds", "cpu_seconds")
                        ),
                        "transactions": Column("Transactions", "cast(sum(transactions) as bigint)"),
                        "abended": Column("Abended", "cast(sum(transactions_abended) as bigint)"),
                        "response_seconds": Column(
                            "Response, s", by("response_seconds", "transactions")
                        ),
                        "velocity_percent": Column("Velocity, %", share("using_samples", _SAMPLES)),
                        "dasd_requests": Column(
                            "DASD requests", "cast(sum(dasd_requests) as bigint)"
                        ),
                        "service": Column("Service units", "sum(service)"),
                    },
                    order="cpu_seconds desc nulls last, report_class",
                    leads=("address-spaces", {"report_class": "report_class"}),
                    says="Click a class for its address spaces.",
                ),
            ),
        ),
    ),
)
