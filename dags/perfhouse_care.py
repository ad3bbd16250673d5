"""Daily care of the warehouse: retention, merging of small loads, and a backup.

Retention removes what LAKE/retention.toml says, and nothing without that file; the next run of
`perfhouse_build` brings the marts up to date. A backup is made if PERFHOUSE_BACKUP names a folder,
which then keeps the last PERFHOUSE_BACKUP_KEEP backups (14).
"""

import logging
import os
from datetime import timedelta
from pathlib import Path

from airflow.sdk import CronTriggerTimetable, TriggerRule, dag, task
from airflow.sdk.exceptions import AirflowSkipException

from app.pipeline import backup, places, retention, steps
from app.schedule.tasks import DEFAULTS, WRITER, dag_settings, deadline

log = logging.getLogger(__name__)


@dag(
    **dag_settings(__doc__),
    schedule=CronTriggerTimetable("0 2 * * *", timezone="UTC"),
    max_active_runs=1,
    # It waits until readers see what is loaded, which may take a build.
    default_args=DEFAULTS | WRITER | {"retries": 8},
    **deadline(timedelta(hours=6)),
)
def perfhouse_care() -> None:
    """Remove what is old, merge what is small, and copy the rest."""
    warehouse = places.default_warehouse()

    @task
    def retain() -> None:
        steps.prepare(warehouse)
        for line in retention.retain(warehouse).lines(done=True):
            log.info("%s", line)

    @task(trigger_rule=TriggerRule.ALL_DONE)
    def merge() -> int:
        return steps.merge_loads(warehouse)

    @task
    def back_up() -> str:
        folder = os.environ.get("PERFHOUSE_BACKUP")
        if not folder:
            raise AirflowSkipException("PERFHOUSE_BACKUP names no folder")
        return str(backup.back_up(warehouse, Path(folder), backup.backups_to_keep()).folder)

    retain() >> merge()
    back_up()


perfhouse_care()
