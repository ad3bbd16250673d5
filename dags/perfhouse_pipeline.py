"""Watch the landing folder: ingest what has arrived, build, audit, publish.

The tasks are the steps of the command line, in its order. Nothing is built while the published
warehouse holds all that was loaded; a build that failed its audit is not published.
"""

from datetime import timedelta

from airflow.sdk import Asset, dag, task
from airflow.sdk.exceptions import AirflowFailException

from app import landing, steps

RETRIES = {"retries": 2, "retry_delay": timedelta(seconds=30)}


@dag(
    schedule="*/5 * * * *",
    catchup=False,
    max_active_runs=1,
    is_paused_upon_creation=False,
    default_args=RETRIES | {"execution_timeout": timedelta(hours=1)},
    doc_md=__doc__,
)
def perfhouse_pipeline() -> None:
    """One run: whatever has arrived since the last one, through to the published file."""
    warehouse = steps.default_warehouse()

    @task.short_circuit
    def ingest() -> bool:
        landing.ingest_arrivals(warehouse, landing.default_landing())
        return landing.is_behind(warehouse)

    @task
    def build() -> None:
        steps.build(warehouse)

    @task
    def check() -> None:
        audit = steps.check(warehouse)
        if not audit.passed:  # another try would judge the same
            raise AirflowFailException("; ".join(failure.message for failure in audit.failures))

    @task(outlets=[Asset("perfhouse_warehouse")])
    def publish() -> None:
        steps.publish(warehouse)

    ingest() >> build() >> check() >> publish()


perfhouse_pipeline()
