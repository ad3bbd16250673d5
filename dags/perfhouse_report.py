"""Write the reports whenever a new build is published.

They are HTML files that need no network, in the folder `reports` of the data folder: the open
regressions, and the latest campaign.
"""

from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowSkipException

from app.pipeline import places
from app.reports.campaign import campaign_report
from app.reports.page import Page
from app.reports.regressions import regressions_report
from app.results.queries.runs import campaigns
from app.results.reader import Reader
from app.schedule.tasks import DEFAULTS, PUBLISHED
from ingest.files import replacing


@dag(
    schedule=PUBLISHED,
    catchup=False,
    max_active_runs=1,
    is_paused_upon_creation=False,
    default_args=DEFAULTS,
    doc_md=__doc__,
)
def perfhouse_report() -> None:
    """Write each report by a task of its own."""

    @task
    def regressions() -> str:
        return _write(regressions_report(_reader()), "regressions")

    @task
    def campaign() -> str:
        reader = _reader()
        known = campaigns(reader)
        if known.is_empty():
            raise AirflowSkipException("no runs are loaded")
        latest = known.select("origin", "campaign").row(0)
        return _write(campaign_report(reader, *latest), "campaign")

    regressions()
    campaign()


def _reader() -> Reader:
    return Reader(places.default_warehouse().file)


def _write(page: Page, name: str) -> str:
    folder = places.home() / "reports"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.html"
    with replacing(file) as draft:
        draft.write_text(page.html(), encoding="utf-8")
    return str(file)


perfhouse_report()
