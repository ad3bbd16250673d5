"""perfhouse in Python: open a warehouse, decode a dump, predict figures.

>>> import perfhouse
>>> warehouse = perfhouse.Warehouse()
>>> warehouse.query("SELECT count(*) AS loads FROM raw.ledger")["loads"][0] > 0
True

Frames are Polars data frames. Errors that a caller can act on derive from `PerfhouseError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.errors import PerfhouseError

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl

    from app.results.comparison import ComparedRuns
    from app.results.sides import Terms
    from expectations.outcome import AuditResult
    from ingest.load import Load

__all__ = ["PerfhouseError", "Warehouse", "dags_folder", "decode", "predict"]


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
        from ingest.warehouse import Warehouse as Files

        self._files = default_warehouse() if file is None else Files(Path(file))

    @property
    def file(self) -> Path:
        """The published DuckDB file."""
        return self._files.file

    def query(self, sql: str, parameters: Sequence[object] = ()) -> pl.DataFrame:
        """Return the rows of a query on the published file; intervals become durations.

        `parameters` stand for $1, $2 and so on. Raises duckdb.Error, and PerfhouseError if there
        is no such file, or if nothing is published and the query asks for marts.

        >>> perfhouse.Warehouse().query(
        ...     "SELECT DISTINCT campaign FROM marts.fct_run WHERE machine = $1 ORDER BY 1", ["z16"]
        ... )["campaign"].to_list()
        ['z16']
        """
        from app.pipeline.publication import reading
        from perfhouse._query import frame

        with reading(self._files) as db:
            return frame(db, sql, parameters)

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

    def build(self) -> str:
        """Build the marts of everything loaded, and return the name of the build.

        A build that is up to date is kept.

        >>> perfhouse.Warehouse().build() == perfhouse.Warehouse().build()
        True
        """
        from app.pipeline.steps import build

        return build(self._files)

    def check(self) -> AuditResult:
        """Audit the last build: its data, the rates to hold, and regressions.

        >>> audit = perfhouse.Warehouse().check()
        >>> audit.publishable, len(audit.errors)
        (True, 0)
        """
        from app.pipeline.steps import check

        return check(self._files)

    def publish(self) -> None:
        """Show the last build to readers. Raises PerfhouseError if its audit found a fault.

        >>> perfhouse.Warehouse().publish()
        """
        from app.pipeline.steps import publish

        publish(self._files)

    def compare(
        self,
        baseline: str | Terms,
        candidate: str | Terms,
        *,
        metrics: Sequence[str] = (),
        parts: bool = False,
        ignore: Sequence[str] = (),
        tolerance: float = 0.02,
    ) -> ComparedRuns:
        """Compare the runs of two sides, as the command `perfhouse compare` does.

        A side is a campaign, build, MQ level, machine or run, a range of builds "FIRST..LAST", or
        terms such as "campaign=may,network=10Gb" or {"campaign": "may", "network": "10Gb"};
        "published" and "predicted" are figures ("published=000": of one document).

        >>> compared = perfhouse.Warehouse().compare(
        ...     "campaign=z16,machine=z15",
        ...     "campaign=z16,machine=z16",
        ...     metrics=["log_write_latency"],
        ... )
        >>> {pair.judged.verdict for pair in compared.pairs}
        {'same'}
        """
        from app.pipeline.publication import reading
        from app.results.comparison import compare_runs, parse_terms

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
                tolerance=tolerance,
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


def predict(rows: pl.DataFrame) -> pl.DataFrame:
    """Predict figures with the models of the published systems.

    `rows` has the columns of data/published/cells.csv. Returns them with `predicted`, a 10-90 %
    band (`low`, `high`), a `caution` about what the figure does not take into account, and `reason`
    where a row cannot be predicted.

    >>> import polars as pl
    >>> cells = pl.read_csv("cells.csv", infer_schema=False).head(3)
    >>> perfhouse.predict(cells).select("predicted", "low", "high").null_count().row(0)
    (0, 0, 0)
    """
    from models_sim import predict as models

    return models.predict(rows)


def dags_folder() -> Path:
    """Return the folder with the Airflow DAGs, for AIRFLOW__CORE__DAGS_FOLDER.

    >>> dags = perfhouse.dags_folder().glob("*.py")
    >>> sorted(file.stem.removeprefix("perfhouse_") for file in dags)
    ['build', 'care', 'ingest', 'nightly', 'report']
    """
    from app.pipeline.places import FILES

    return FILES / "dags"
