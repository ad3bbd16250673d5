"""Watch the landing folder: ingest new files, build, audit, publish.

The tasks are the steps of `perfhouse run`. If nothing new was loaded, nothing is built. Every build
is published, whatever is wrong with its data, unless perfhouse made a mistake in it. New errors,
regressions and failed tasks are posted to the webhook PERFHOUSE_NOTIFY.
"""

import logging
from datetime import timedelta
from typing import Any

from airflow.sdk import Asset, TriggerRule, dag, task
from airflow.sdk.exceptions import AirflowFailException

from app.pipeline import landing, places, steps

RETRIES = {"retries": 2, "retry_delay": timedelta(seconds=30)}
log = logging.getLogger(__name__)


def notify_failure(context: dict[str, Any]) -> None:
    """Airflow's callback of a failed task; `check` has already reported a fault."""
    exception = context.get("exception")
    if not isinstance(exception, AirflowFailException):
        step = context["task_instance"].task_id
        steps.notify_failure(places.default_warehouse(), step, str(exception))


@dag(
    schedule="*/5 * * * *",
    catchup=False,
    max_active_runs=1,
    is_paused_upon_creation=False,
    default_args=RETRIES
    | {"execution_timeout": timedelta(hours=1), "on_failure_callback": notify_failure},
    doc_md=__doc__,
)
def perfhouse_pipeline() -> None:
    """Take new files from the landing folder to the published warehouse."""
    warehouse = places.default_warehouse()

    def tell() -> None:
        if undelivered := steps.notify(warehouse):
            log.error("%s", undelivered)

    @task.short_circuit
    def ingest() -> bool:
        steps.heal(warehouse)
        landing.ingest_arrivals(warehouse, places.default_landing())
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
        for found in (*audit.errors, *audit.regressions):
            log.error("%s", found.message)
        if not audit.publishable:  # a retry would fail again
            raise AirflowFailException("; ".join(fault.message for fault in audit.faults))

    @task(outlets=[Asset("perfhouse_warehouse")])
    def publish() -> None:
        steps.publish(warehouse)

    @task(trigger_rule=TriggerRule.ALL_DONE)  # a fault is told too
    def notify() -> None:
        tell()

    ingest() >> build() >> (checked := check()) >> publish()
    checked >> notify()


perfhouse_pipeline()
