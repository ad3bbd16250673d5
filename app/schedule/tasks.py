"""Settings of every task, and the assets that start one DAG after another."""

from __future__ import annotations

import asyncio
import os
from datetime import timedelta
from typing import Any

from airflow.sdk import Asset
from airflow.sdk.definitions.callback import AsyncCallback
from airflow.sdk.definitions.deadline import DeadlineAlert, DeadlineReference
from airflow.sdk.exceptions import AirflowFailException

from app.pipeline import places, steps

__all__ = ["DEFAULTS", "LOADS", "PUBLISHED", "WRITER", "deadline"]

LOADS = Asset("perfhouse_loads")  # files were loaded
PUBLISHED = Asset("perfhouse_warehouse")  # readers see a new build

#: One task at a time may hold the working database. `make airflow` makes a pool with one slot.
WRITER = {"pool": os.environ.get("PERFHOUSE_POOL", "default_pool")}


def notify_failure(context: dict[str, Any]) -> None:
    """Report a task that failed after its retries; `check` reports a fault itself."""
    exception = context.get("exception")
    if not isinstance(exception, AirflowFailException):
        step = context["task_instance"].task_id
        steps.notify_failure(places.default_warehouse(), step, str(exception))


DEFAULTS: dict[str, Any] = {
    "retries": 3,
    "retry_delay": timedelta(seconds=30),
    "retry_exponential_backoff": 2.0,
    "max_retry_delay": timedelta(minutes=15),
    "execution_timeout": timedelta(hours=2),
    "on_failure_callback": notify_failure,
}


async def notify_delay(**context: Any) -> None:
    """Report a run that is not done by its deadline."""
    run = context["context"]["dag_run"]
    reason = f"{run['dag_run_id']} is not done by its deadline"
    await asyncio.to_thread(steps.notify_failure, places.default_warehouse(), run["dag_id"], reason)


def deadline(interval: timedelta) -> DeadlineAlert:
    """Return the alert for runs that take longer than this."""
    return DeadlineAlert(
        reference=DeadlineReference.DAGRUN_QUEUED_AT,
        interval=interval,
        callback=AsyncCallback(notify_delay),
    )
