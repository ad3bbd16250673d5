"""Build the marts from what was loaded, audit them and publish them.

It starts when files were loaded, and once an hour in case that start was lost. If readers see all
loads already, it ends at once. Every build is published, whatever is wrong with its data, unless
perfhouse made a mistake in it. New errors, regressions and failed tasks are sent to the webhook
PERFHOUSE_NOTIFY, to Slack and by mail (docs/notifications.md); so is, each hour, what waited for
the end of quiet hours.

dbt runs as one task: a task for each of its models would take ten times as long.
"""

import logging
from contextlib import suppress
from datetime import timedelta

from airflow.sdk import AssetOrTimeSchedule, CronTriggerTimetable, TriggerRule, dag, task
from airflow.sdk.exceptions import AirflowFailException

from app.pipeline import landing, places, steps
from app.results.last_night import read_last_night
from app.results.queries import health
from app.results.reader import Reader
from app.schedule.tasks import DEFAULTS, LOADS, PUBLISHED, WRITER, dag_settings, deadline
from ingest.base.errors import PerfhouseError

log = logging.getLogger(__name__)


@dag(
    **dag_settings(__doc__),
    schedule=AssetOrTimeSchedule(
        timetable=CronTriggerTimetable("23 * * * *", timezone="UTC"), assets=[LOADS]
    ),
    max_active_runs=1,
    default_args=DEFAULTS | WRITER,
    **deadline(timedelta(hours=3)),
)
def perfhouse_build() -> None:
    """Build, audit and publish what was loaded."""
    warehouse = places.default_warehouse()

    def tell() -> None:
        alarms = absences = None
        with suppress(PerfhouseError):  # nothing is published yet, or the limits are wrong
            alarms = health.alarms(health.findings(Reader(warehouse.file)))
            night = read_last_night(Reader(warehouse.file))
            absences = night.absences() if night and steps.is_current(warehouse) else None
        if undelivered := steps.notify(warehouse, alarms=alarms, absences=absences):
            log.error("%s", undelivered)

    @task.short_circuit
    def is_behind() -> bool:
        steps.heal(warehouse)
        if landing.is_behind(warehouse):
            return True
        tell()  # what could not be sent before
        return False

    @task
    def build() -> None:
        steps.build(warehouse)

    @task
    def check() -> None:
        audit = steps.check(warehouse)
        for finding in (*audit.errors, *audit.regressions):
            log.error("%s", finding.message)
        if not audit.publishable:  # a retry would fail again
            raise AirflowFailException("; ".join(fault.message for fault in audit.faults))

    @task(outlets=[PUBLISHED])
    def publish() -> None:
        steps.publish(warehouse)

    @task(trigger_rule=TriggerRule.ALL_DONE)  # a fault is reported, too
    def notify() -> None:
        tell()

    is_behind() >> build() >> (checked := check()) >> publish()
    checked >> notify()


perfhouse_build()
