"""perfhouse in Python: open a warehouse, decode a dump, predict figures.

>>> import perfhouse
>>> warehouse = perfhouse.Warehouse()
>>> warehouse.query("SELECT count(*) FROM raw.ledger").item() > 0
True

Frames are Polars data frames. `build`, `check` and `publish` wait for another process that
changes the warehouse: up to `wait` seconds, by default an hour. Errors that a caller can act on
derive from `PerfhouseError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ingest.base.errors import PerfhouseError

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from datetime import timedelta
    from pathlib import Path

    import polars as pl

    from app.results.compared import ComparedRuns
    from app.results.last_night import LastNight
    from app.results.sides import Terms
    from expectations.outcome import AuditResult
    from ingest.writer import Load
    from models_sim.plan import Plan

__all__ = [
    "PerfhouseError",
    "Warehouse",
    "__version__",
    "changepoints",
    "dags_folder",
    "decode",
    "plan",
    "predict",
]

__version__: str


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version

        return version("perfhouse")
    raise AttributeError(f"module 'perfhouse' has no attribute {name!r}")


class Warehouse:
    """A results warehouse: the DuckDB file that readers open, and the `.lake` folder beside it.

    Without `file` it is the warehouse that the command `perfhouse` uses: the one that
    $PERFHOUSE_WAREHOUSE names, or the one in the data folder. Nothing is created before the first
    ingest.

    >>> perfhouse.Warehouse("results.duckdb").file.name
    'results.duckdb'
    """

    def __init__(self, file: str | os.PathLike[str] | None = None) -> None:
        from pathlib import Path

        from app.pipeline.places import default_warehouse
        from ingest.lake.warehouse import Warehouse as Files

        self._files = default_warehouse() if file is None else Files(Path(file))

    @property
    def file(self) -> Path:
        """The published DuckDB file."""
        return self._files.file

    def query(
        self, sql: str, parameters: Sequence[object] | Mapping[str, object] = ()
    ) -> pl.DataFrame:
        """Return the rows of a query on the published file; intervals become durations.

        Names without a schema are looked up in `marts`, then in `raw`. `parameters` stand for $1,
        $2 and so on, or for the names of a mapping. A text has one query with an answer. Raises
        duckdb.Error, and PerfhouseError if there is no such file, or if nothing is published and
        the query asks for marts.

        >>> perfhouse.Warehouse().query(
        ...     "SELECT DISTINCT campaign FROM fct_run WHERE machine = $1 ORDER BY 1", ["z16"]
        ... )["campaign"].to_list()
        ['z16']
        """
        import polars as pl

        from app.pipeline.publication import reading
        from ingest.lake.answers import answers, data_frame
        from ingest.lake.locked import look_up_in_marts_first

        frame = pl.DataFrame()
        with reading(self._files) as db:
            look_up_in_marts_first(db)
            for answer in answers(db, sql, parameters, "a data frame"):
                frame = data_frame(answer)
        return frame

    def tables(self, name: str = "") -> pl.DataFrame:
        """Return the tables (schema, table, about), or the columns of the one of this name.

        Columns have their type, unit, how values add up over rows (`adds_up`, of marts; the words
        are in docs/queries.md), what they are, and the fields that they come from. Raises
        PerfhouseError if no table has the name in its own.

        >>> columns = perfhouse.Warehouse().tables("fct_run_total")
        >>> dict(columns.select("column", "adds_up").iter_rows())["cpu_seconds"]
        'sum'
        """
        from app.pipeline.publication import reading
        from app.results.tables import describe

        with reading(self._files, lake=False) as db:
            return describe(db, name)[1].pl()

    def summarise(
        self,
        mart: str,
        measures: Sequence[str],
        by: Sequence[str] = (),
        where: str = "true",
        *,
        step: timedelta | None = None,
    ) -> pl.DataFrame:
        """Return measures of a mart by columns (and steps of time), as their rules add them up.

        A measure is a column, `a / s` (per second), `a / b` or `a % of b`: see docs/queries.md.
        Raises PerfhouseError, ValueError.

        >>> perfhouse.Warehouse().summarise("fct_run_total", ["cpu_seconds"], ["origin"]).columns
        ['origin', 'cpu_seconds']
        """
        from app.results.measures import summarise
        from app.results.reader import Reader

        return summarise(Reader(self.file), mart, measures, by, where, step=step)

    def page(self, name: str = "", of: str = "") -> dict[str, pl.DataFrame]:
        """Return what a page on systems or queue managers says of its latest time, by title.

        Without a name: which pages there are. `of`: a system or queue manager, such as PLEX1/SY1.
        """
        from app.results.answers import answers_of

        return {answer.title: answer.frame for answer in answers_of(self.file, name, of)}

    def last_night(self) -> LastNight:
        """Return how last night was: a verdict, an answer in a sentence, and all `subjects`."""
        from app.pipeline.publication import reading
        from app.results.last_night import last_night

        with reading(self._files) as db:
            return last_night(db)

    def regressions(self, *, include_closed: bool = False) -> pl.DataFrame:
        """Return the rows of `meta.regression` that `perfhouse regressions` lists, by impact.

        include_closed: also closed ones, and the members of groups.

        >>> "onset_utc" in perfhouse.Warehouse().regressions(include_closed=True).columns
        True
        """
        from app.results.regressions import listed

        return self.query(listed(everything=include_closed))

    def report(
        self, preset: str, out: str | os.PathLike[str], **options: str | int | float
    ) -> Path:
        """Write a report as HTML, PDF or Markdown, by the suffix of `out`; return its path.

        The command `perfhouse report` lists the presets and their options. Raises PerfhouseError.

        >>> perfhouse.Warehouse().report("campaign", "campaign.md").name
        'campaign.md'
        """
        from pathlib import Path

        from app.pipeline.publication import require_published
        from app.reports.writing import make_report, write
        from app.results.reader import Reader

        require_published(self._files)
        path = Path(out)
        write(make_report(Reader(self.file), preset, options), path)
        return path

    def ingest(
        self,
        *paths: str | os.PathLike[str],
        origin: str | None = None,
        code_page: str = "037",
        ams_type: int = 180,
        jobs: int | None = None,
    ) -> list[Load]:
        """Load files, folders and patterns into raw.*, and return one Load per file.

        A file whose content was loaded before is not loaded again. `origin` is "measured" or
        "simulated"; by default the nearest file ORIGIN decides, or else the files are measured.
        `jobs` processes load large amounts of data, by default one for each processor.

        >>> load, *_ = perfhouse.Warehouse("new.duckdb").ingest("dumps")
        >>> load.status, load.quarantined
        ('loaded', 0)
        """
        import os

        from app.pipeline.steps import ingest_paths

        given = [os.fspath(path) for path in paths]
        return ingest_paths(
            self._files, given, origin, code_page=code_page, ams_type=ams_type, jobs=jobs
        )

    def forget(self, *source_ids: str) -> None:
        """Undo loads: drop their rows and their ledger entries; marts keep them until a build.

        An identity may be its first characters. Raises PerfhouseError if no load has it.

        >>> warehouse = perfhouse.Warehouse("old.duckdb")
        >>> load, *_ = warehouse.ingest("dumps")
        >>> warehouse.forget(load.source_id)
        """
        from app.pipeline.steps import forget_load

        forget_load(self._files, *source_ids)

    def run(
        self, *paths: str | os.PathLike[str], origin: str | None = None, wait: float | None = None
    ) -> AuditResult:
        """Ingest files, folders and patterns, then build, check and publish, as `perfhouse run`.

        >>> perfhouse.Warehouse("run.duckdb").run("dumps").publishable
        True
        """
        from ingest.lake.alone import alone, waiting

        self.ingest(*paths, origin=origin)
        with waiting(wait), alone(self._files):
            self.build()
            audit = self.check()
            self.publish()
        return audit

    def export(self, out: str | os.PathLike[str], *, marts_only: bool = False) -> int:
        """Copy what is published to a file .duckdb or a new folder of Parquet; return its tables.

        >>> perfhouse.Warehouse().export("copy.duckdb", marts_only=True) > 50
        True
        """
        from pathlib import Path

        from app.pipeline.export import export

        return export(self._files, Path(out), marts_only=marts_only)

    def data_issues(self, run_id: str = "") -> pl.DataFrame:
        """Return what is wrong or doubtful about the data, of all or of one run, errors first.

        >>> "severity" in perfhouse.Warehouse().data_issues().columns
        True
        """
        from app.pipeline.publication import require_published
        from app.results.queries.issues import data_issues
        from app.results.reader import Reader

        require_published(self._files)
        return data_issues(Reader(self.file), run_id, 1 << 62)

    def build(self, *, wait: float | None = None) -> str:
        """Build the marts of everything loaded, and return the name of the build.

        A build that is up to date is kept.

        >>> perfhouse.Warehouse().build() == perfhouse.Warehouse().build()
        True
        """
        from app.pipeline.steps import build
        from ingest.lake.alone import waiting

        with waiting(wait):
            return build(self._files)

    def check(self, *, wait: float | None = None) -> AuditResult:
        """Audit the last build: its data, the rates to hold, and regressions.

        >>> audit = perfhouse.Warehouse().check()
        >>> audit.publishable, len(audit.errors)
        (True, 0)
        """
        from app.pipeline.steps import check
        from ingest.lake.alone import waiting

        with waiting(wait):
            return check(self._files)

    def publish(self, *, wait: float | None = None) -> None:
        """Show the last build to readers, once it is audited.

        Raises PerfhouseError if its audit found a fault.

        >>> perfhouse.Warehouse().publish()
        """
        from app.pipeline.steps import publish
        from ingest.lake.alone import waiting

        with waiting(wait):
            publish(self._files)

    def compare(
        self,
        baseline: str | Terms,
        candidate: str | Terms,
        *,
        metrics: Sequence[str] = (),
        parts: bool = False,
        ignore: Sequence[str] = (),
        held: Mapping[str, Sequence[str | None]] | None = None,
        one_speed: bool = False,
        tolerance_percent: float = 2,
        question: str = "change",
        build_noise_percent: float = 5,
    ) -> ComparedRuns:
        """Compare the runs of two sides, as the command `perfhouse compare` does.

        A side is a campaign, build, MQ level, machine or run, a range of builds "FIRST..LAST", or
        terms such as "campaign=may,network=10Gb" or {"campaign": "may", "network": "10Gb"};
        "published" and "predicted" are figures ("published=000": of one document). `ignore`:
        factors and labels in which matched runs may differ; `held`: levels that both sides have;
        `one_speed`: convert CPU time to one speed, by the service units of each machine (SU_SEC);
        `question`: "builds", by the noise of these runs alone, or "change" (docs/detector.md);
        `build_noise_percent`: how much builds vary by themselves where fewer than six can tell.

        >>> compared = perfhouse.Warehouse().compare(
        ...     "campaign=z16,machine=z15",
        ...     "campaign=z16,machine=z16",
        ...     metrics=["amqsrua_log_write_latency"],
        ... )
        >>> set(compared.frame()["verdict"])
        {'same'}
        """
        from app.pipeline.publication import reading
        from app.results.comparison import compare_runs
        from app.results.sides import parse_terms

        with reading(self._files) as db:
            sides = [
                parse_terms(db, side) if isinstance(side, str) else side
                for side in (baseline, candidate)
            ]
            return compare_runs(
                db,
                *sides,
                metrics=metrics,
                parts=parts,
                ignore=ignore,
                held=held,
                one_speed=one_speed,
                tolerance=tolerance_percent / 100,
                question=question,
                build_noise=build_noise_percent / 100,
            )


def decode(
    dump: bytes | str | os.PathLike[str], *, code_page: str = "037", ams_type: int = 180
) -> dict[str, pl.DataFrame]:
    """Decode an SMF dump, RMF report or benchmark output without a warehouse.

    `dump` is a path, also of a gzip or Zstandard file, or the content itself. Returns the tables
    that have rows under their names in `raw`, and "quarantine" with one row per damaged part:
    record_no, file_offset, reason. Intervals are durations. Raises PerfhouseError if the content
    is of no known kind.

    >>> tables = perfhouse.decode("dumps/synthetic_mq_800.smf")
    >>> tables["smf115_qmst"].select("record_no", "qmstid").height > 0
    True
    """
    from perfhouse._decode import decode_dump

    return decode_dump(dump, code_page, ams_type)


def changepoints(values: Sequence[float | None]) -> list[int]:
    """Return the indexes at which the level of a series changes; None and NaN are missing values.

    >>> before, after = [10.0, 10.1, 9.9, 10.0, 9.9, 10.1], [12.0, 12.1, 11.9, 12.0, 12.1, 11.9]
    >>> perfhouse.changepoints(before + after)
    [6]
    """
    import math

    from ingest.base.extras import require

    require("build")
    from expectations.detector import find_changes

    return list(find_changes([math.nan if value is None else value for value in values]).indexes)


def predict(rows: pl.DataFrame) -> pl.DataFrame:
    """Predict figures with the models of the published systems.

    `rows` has the columns of data/published/cells.csv, as texts or as Polars infers them. Returns
    them with `predicted`, a 10-90 % band (`low`, `high`), a `caution` about what the figure does
    not take into account, and `reason` where a row cannot be predicted.

    >>> import polars as pl
    >>> cells = pl.read_csv("cells.csv", infer_schema_length=None).head(3)
    >>> perfhouse.predict(cells).select("predicted", "low", "high").null_count().row(0)
    (0, 0, 0)
    """
    from models_sim import predict as models

    return models.predict(rows)


def plan(workload: Mapping[str, Any], warehouse: Warehouse | None = None) -> Plan:
    """Work out a workload: elapsed time, CPU, zIIPs, MSU and money (docs/plan.md).

    A factor that is a list makes alternatives. `frame()` of the result has a row per alternative
    and figure, with a 10-90 % band. `recorded`, names of address spaces, takes what the records
    of a warehouse say that they used. Raises PerfhouseError.

    >>> night = {"gb": 500, "file_size_mb": 100, "network": "10Gb", "machine": ["z15", "z16"]}
    >>> now, then = perfhouse.plan(night).alternatives
    >>> now.figures["CPU"].value > then.figures["CPU"].value
    True
    """
    from app.pipeline.planning import make_plan

    if "recorded" in workload:
        from app.results.queries.plan_inputs import with_records
        from app.results.reader import Reader

        workload = with_records(Reader((warehouse or Warehouse()).file), workload)
    return make_plan(workload)


def dags_folder() -> Path:
    """Return the folder with the Airflow DAGs, for AIRFLOW__CORE__DAGS_FOLDER.

    >>> dags = perfhouse.dags_folder().glob("*.py")
    >>> sorted(file.stem.removeprefix("perfhouse_") for file in dags)
    ['build', 'care', 'ingest', 'nightly', 'report']
    """
    from app.pipeline.places import FILES

    return FILES / "dags"
