"""Simulate a night of benchmarks and compare it with the night before.

The files of both nights go to the landing folder, unless they are there; when readers see them, the
runs of the two are compared, configuration by configuration. A run of this DAG belongs to the date
of its schedule, so past nights are made by a backfill, in any order:

    airflow backfill create --dag-id perfhouse_nightly --from-date 2026-01-05 --to-date 2026-01-12

A night begins at 04:00, so that of `--to-date` is not among them. It starts paused: the nights are
for trying perfhouse, not for a site's own figures.
"""

import logging
from collections import Counter
from datetime import date, timedelta

from airflow.sdk import CronTriggerTimetable, PokeReturnValue, dag, task

from app.pipeline import nights, places
from app.results.comparison import compare_runs
from app.results.sides import SelectionError
from app.schedule.tasks import DEFAULTS, dag_settings, deadline

log = logging.getLogger(__name__)


@dag(
    **dag_settings(__doc__, is_paused=True),
    schedule=CronTriggerTimetable("0 4 * * *", timezone="UTC"),
    max_active_runs=4,
    default_args=DEFAULTS,
    **deadline(timedelta(hours=6)),
)
def perfhouse_nightly() -> None:
    """Simulate, wait for the marts, compare."""

    @task
    def simulate(day: str) -> None:
        for night in _nights(day):
            nights.simulate_night(places.default_landing(), night)

    @task.sensor(mode="reschedule", poke_interval=30, timeout=6 * 3600)
    def published(day: str) -> PokeReturnValue:
        paths = places.default_warehouse(), places.default_landing()
        return PokeReturnValue(all(nights.is_published(*paths, night) for night in _nights(day)))

    @task
    def compare(day: str) -> dict[str, int]:
        before, after = ({"git_revision": nights.build_of(night)} for night in _nights(day))
        with places.default_warehouse().connect() as db:
            try:
                findings = compare_runs(db, before, after)
            except SelectionError as error:  # what is wrong with the runs is among their issues
                log.warning("%s", error)
                return {}
        return dict(Counter(pair.judged.verdict for pair in findings.pairs))

    day = "{{ ds }}"
    simulate(day) >> published(day) >> compare(day)


def _nights(day: str) -> tuple[date, date]:
    """Return the night before, and that of the day."""
    night = date.fromisoformat(day)
    return night - timedelta(1), night


perfhouse_nightly()
