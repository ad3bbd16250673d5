"""Write the reports whenever a new build is published.

They are HTML files that need no network, in the folder `reports` of the data folder: the open
regressions, and the latest campaign.
"""

from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowSkipException

from app.pipeline import places
from app.reports.writing import make_report, write
from app.results.queries.runs import campaigns
from app.results.reader import Reader
from app.schedule.tasks import DEFAULTS, PUBLISHED, dag_settings


@dag(
    **dag_settings(__doc__),
    schedule=PUBLISHED,
    max_active_runs=1,
    default_args=DEFAULTS,
)
def perfhouse_report() -> None:
    """Write each report by a task of its own."""

    @task
    def regressions() -> str:
        return _write("regressions")

    @task
    def campaign() -> str:
        if campaigns(_reader()).is_empty():
            raise AirflowSkipException("no runs are loaded")
        return _write("campaign")

    regressions()
    campaign()


def _reader() -> Reader:
    return Reader(places.default_warehouse().file)


def _write(preset: str) -> str:
    file = places.home() / "reports" / f"{preset}.html"
    file.parent.mkdir(parents=True, exist_ok=True)
    write(make_report(_reader(), preset, {}), file)
    return str(file)


perfhouse_report()
