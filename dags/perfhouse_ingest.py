"""Watch the landing folder and load what arrives.

The wait takes no worker. What has arrived is loaded by several tasks side by side, in batches of up
to 500 files; PERFHOUSE_LOADERS (2) is the number of these tasks on all workers. When something
was loaded, the DAG `perfhouse_build` starts; this one waits again. Files that cannot be read are
logged, kept aside or tried again, and nothing else waits for them.
"""

from datetime import UTC, datetime

from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowSkipException

from app.pipeline import landing, places
from app.schedule.arrivals import WaitForArrivals, path_of
from app.schedule.tasks import DEFAULTS, LOADERS, LOADS, dag_settings


@dag(
    **dag_settings(__doc__),
    schedule="@continuous",
    # In the past: a run begins where the one before ended, and the first would end where it begins.
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    max_active_runs=1,
    default_args=DEFAULTS,
)
def perfhouse_ingest() -> None:
    """Wait for files, load them, and start the build."""

    @task(max_active_tis_per_dag=LOADERS, map_index_template="{{ files }}")
    def ingest(batch: list[str]) -> int:
        from airflow.sdk import get_current_context

        get_current_context()["files"] = f"{len(batch)} files from {path_of(batch[0]).name}"
        loads = landing.ingest_files(
            places.default_warehouse(), places.default_landing(), map(path_of, batch)
        )
        return sum(load.status in {"loaded", "partly"} for load in loads)

    @task(outlets=[LOADS], trigger_rule="all_done")
    def tell(loaded: list[int]) -> None:
        if not sum(loaded):
            raise AirflowSkipException("nothing was loaded")

    arrived = WaitForArrivals(task_id="wait", execution_timeout=None)
    tell(ingest.expand(batch=arrived.output))


perfhouse_ingest()
