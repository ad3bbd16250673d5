"""Simulate a night of benchmarks and compare it with the night before.

The night's files go to the landing folder; when their build is published, its runs are compared
with those of the night before, configuration by configuration. A run of this DAG belongs to the
date of its schedule, so past nights are made by a backfill:

    airflow backfills create --dag-id perfhouse_nightly --from-date 2026-01-05 --to-date 2026-01-11

It is paused at first: the nights are for a trial of perfhouse, not among a site's own figures.
"""

import logging
from collections import Counter
from datetime import date, timedelta

from airflow.sdk import CronTriggerTimetable, PokeReturnValue, dag, task

from app.pipeline import nights, places
from app.results.comparison import SelectionError, compare_runs
from app.schedule.tasks import DEFAULTS, deadline

log = logging.getLogger(__name__)


@dag(
    schedule=CronTriggerTimetable("0 4 * * *", timezone="UTC"),
    catchup=False,
    max_active_runs=4,
    default_args=DEFAULTS,
    doc_md=__doc__,
    **deadline(timedelta(hours=6)),
)
def perfhouse_nightly() -> None:
    """Simulate, wait for the marts, compare."""

    @task
    def simulate(day: str) -> None:
        nights.simulate_night(places.default_landing(), date.fromisoformat(day))

    @task.sensor(mode="reschedule", poke_interval=30, timeout=6 * 3600)
    def published(day: str) -> PokeReturnValue:
        night = date.fromisoformat(day)
        return PokeReturnValue(nights.is_published(places.default_warehouse(), night))

    @task
    def compare(day: str) -> dict[str, int]:
        night = date.fromisoformat(day)
        with places.default_warehouse().connect() as db:
            try:
                before, after = (nights.build_of(d) for d in (night - timedelta(1), night))
                found = compare_runs(db, before, after)
            except SelectionError as error:  # there is no night before
                log.warning("%s", error)
                return {}
        return dict(Counter(pair.judged.verdict for pair in found.pairs))

    day = "{{ ds }}"
    simulate(day) >> published(day) >> compare(day)


perfhouse_nightly()
