"""Watch the landing folder: ingest new files, build, audit, publish.

The tasks are the steps of `perfhouse run`. If nothing new was loaded, nothing is built. Every build
is published, whatever is wrong with its data, unless perfhouse made a mistake in it. New errors,
regressions and failed tasks are posted to the webhook PERFHOUSE_NOTIFY.
"""

import logging
from datetime import timedelta
from typing import Any

from airflow.sdk import Asset, dag, task
from airflow.sdk.exceptions import AirflowFailException

from app.pipeline import landing, places, steps

RETRIES = {"retries": 2, "retry_delay": timedelta(seconds=30)}
log = logging.getLogger(__name__)


def notify_failure(context: dict[str, Any]) -> None:
    """Airflow's callback of a failed task; `check` has already reported a fault."""
    exception = context.get("exception")
    if not isinstance(exception, AirflowFailException):
        steps.notify_failure(context["task_instance"].task_id, str(exception))


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

    @task.short_circuit
    def ingest() -> bool:
        landing.ingest_arrivals(warehouse, places.default_landing())
        return landing.is_behind(warehouse)

    @task
    def build() -> None:
        steps.build(warehouse)

    @task
    def check() -> None:
        audit = steps.check(warehouse)
        for found in (*audit.errors, *audit.regressions):
            log.error("%s", found.message)
        if undelivered := steps.notify(audit):
            log.error("%s", undelivered)
        if not audit.publishable:  # a retry would fail again
            raise AirflowFailException("; ".join(fault.message for fault in audit.faults))

    @task(outlets=[Asset("perfhouse_warehouse")])
    def publish() -> None:
        steps.publish(warehouse)

    ingest() >> build() >> check() >> publish()


perfhouse_pipeline()
