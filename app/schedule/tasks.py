"""Settings of every task, and the assets that start one DAG after another."""

from __future__ import annotations

import logging
import os
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

from airflow.sdk import Asset, ExceptionRetryPolicy, RetryAction, RetryRule
from airflow.sdk.exceptions import AirflowFailException

from app.pipeline import places, steps
from app.schedule.credentials import take_credentials
from ingest.base.errors import SettingsError
from ingest.lake.log import command

__all__ = ["DEFAULTS", "LOADERS", "LOADS", "PUBLISHED", "WRITER", "dag_settings", "deadline"]

log = logging.getLogger(__name__)

LOADS = Asset("perfhouse_loads")  # files were loaded
PUBLISHED = Asset("perfhouse_warehouse")  # readers see a new build

#: One task at a time may hold the working database. `make airflow` makes a pool with one slot.
WRITER = {"pool": os.environ.get("PERFHOUSE_POOL", "default_pool")}

#: How many tasks load files at a time, on all workers together.
LOADERS = int(os.environ.get("PERFHOUSE_LOADERS", "2"))


_RUNNING = ExitStack()  # the log of the task in this process


def begin(context: dict[str, Any]) -> None:
    """Take the credentials, and let all lines of the log say which task writes them."""
    task, warehouse = context["task_instance"], places.default_warehouse()
    take_credentials(warehouse)
    _RUNNING.enter_context(command(warehouse, f"{task.dag_id}.{task.task_id}"))


def end_log(context: dict[str, Any]) -> None:
    """Write that the task ended."""
    _RUNNING.close()


def end_log_of_failure(context: dict[str, Any]) -> None:
    """Write that the task failed, and why."""
    given = context.get("exception")
    error = given if isinstance(given, BaseException) else RuntimeError(str(given))
    _RUNNING.__exit__(type(error), error, error.__traceback__)


def notify_failure(context: dict[str, Any]) -> None:
    """Report a task that failed after its retries; `check` reports a fault itself."""
    exception = context.get("exception", "its process ended, or was silent for too long")
    if not isinstance(exception, AirflowFailException):
        _notify(context["task_instance"].task_id, str(exception))


DEFAULTS: dict[str, Any] = {
    "owner": "perfhouse",
    "retries": 3,
    # Trying again corrects no file of settings.
    "retry_policy": ExceptionRetryPolicy([RetryRule(SettingsError, RetryAction.FAIL)]),
    "retry_delay": timedelta(seconds=30),
    "retry_exponential_backoff": 2.0,
    "max_retry_delay": timedelta(minutes=15),
    "execution_timeout": timedelta(hours=2),
    "on_execute_callback": begin,
    "on_success_callback": end_log,
    "on_skipped_callback": end_log,
    "on_retry_callback": end_log_of_failure,
    "on_failure_callback": [end_log_of_failure, notify_failure],
    "email": [who for who in os.environ.get("PERFHOUSE_NOTIFY_MAIL", "").split(",") if who],
    "email_on_retry": False,
}


def dag_settings(about: str, *, is_paused: bool = False) -> dict[str, Any]:
    """Return the settings by which people find and understand a DAG; about: its module's text."""
    return {
        "description": about.partition("\n")[0],
        "doc_md": about,
        "tags": ["perfhouse"],
        "catchup": False,
        "is_paused_upon_creation": is_paused,
    }


def notify_timeout(context: dict[str, Any]) -> None:
    """Report a run that timed out; a failed task reports itself."""
    if context.get("reason") == "timed_out":
        run = context["dag_run"]
        _notify(run.dag_id, f"{run.run_id} timed out")


def _notify(step: str, reason: str) -> None:
    if untold := steps.notify_failure(places.default_warehouse(), step, reason):
        log.error("%s", untold)


def deadline(interval: timedelta) -> dict[str, Any]:
    """Return the settings of a DAG whose runs time out, and are reported, after this time."""
    return {"dagrun_timeout": interval, "on_failure_callback": notify_timeout}
