"""Whatever part of its intervals a run has, its figures are right within bounds, or not compared.

bounds.sql draws systems, the records of them and what is right. The models of runs are built from
these records by the SQL that dbt compiled.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

DRAWN = Path(__file__).with_name("bounds.sql").read_text()
#: In the order in which they read each other.
MODELS = (
    *("int_runs__interval", "fct_run_system", "fct_run_class", "fct_run_report_class"),
    *("fct_run_address_space", "fct_run_resource", "fct_run_workload", "fct_run_total"),
    *("fct_run_price", "fct_run_hardware", "fct_run_part", "fct_run_explanation"),
    *("fct_measurement", "fct_system_measurement", "fct_address_space_measurement"),
    *("machine_pair", "fct_relative_measurement"),
)
#: Metrics that no interval has a part in: given, printed, or counted one by one. MQ's verbs are all
#: alike: two are drawn.
EXACT = re.compile(
    r"(steady_)?rate|transfer_time|ramp_seconds|bytes|files|messages|transactions|\w+_per_second"
    r"|ams_accesses|response_time.*|(amqsrua|host|java|container|docker|directory|csm)_.*|\w+-CPU"
    r"|\w+_messages|queue_depth|queue_time|oldest_message_age|secret_key_resets|compression_time"
    r"|batch_size_achieved|cpu_per_(?!put$|get$)\w+"
)
#: Metric -> column of the marts that have CPU time.
CPU = {
    "cpu_seconds": "cpu_seconds",
    "general_purpose_seconds": "general_purpose_seconds",
    "ziip_eligible_seconds": "eligible_seconds",
    "cost_per_GB": "cost_per_GB",
    "cost_per_GB_after_offload": "cost_per_GB_after_offload",
    "cost_per_transaction": "cost_per_transaction_us",
    "cost_per_transaction_after_offload": "cost_per_transaction_after_offload_us",
    "ziip_share": "ziip_share_percent",
    "ziips_needed": "ziips_needed",
}
#: Marts with one row per figure -> which part of the run it is of, in the words of bounds.sql.
OF_SPACE = "if(address_space = 'QM1MSTR', 'WORK', 'BATCH')"
FIGURES = {
    "fct_measurement": "''",
    "fct_system_measurement": "''",
    "fct_address_space_measurement": OF_SPACE,
    "fct_relative_measurement": "''",
    "fct_run_part": "split || ': ' || part",
}
COLUMNS = {
    "fct_run_total": "''",
    "fct_run_system": "''",
    "fct_run_workload": "'WORK'",
    "fct_run_class": "service_class",
    "fct_run_report_class": "'WORK'",
    "fct_run_address_space": OF_SPACE,
}
#: Marts that show no bounds: what is compared is near to the truth.
BOUNDLESS = {
    "fct_run_price": ("cost_money",),
    "fct_run_hardware": ("instructions", "cpi", "mips", "l1_miss_percent", "rni"),
}
#: Means of the compared runs of each configuration, and changes from those on the older machine.
MEANS = """
    CREATE TABLE mean AS
    SELECT s // 2 AS k, metric, avg(truth.value) AS value
    FROM truth JOIN shown USING (s, part, metric) WHERE mart = 'fct_measurement' AND is_compared
    GROUP BY ALL;
    INSERT INTO truth
    SELECT s, part, 'change_of_' || if(metric = 'transactions_per_second', 'rate', metric),
        100 * (truth.value / mean.value - 1)
    FROM truth JOIN mean USING (metric) WHERE part = '' AND s // 2 % 2 = 1 AND k = s // 2 - 1;
"""
#: What differs only because numbers are rounded.
NEAR = "(1e-9 * abs(truth.value) + 1e-9)"


def _shown() -> Iterator[str]:
    """Yield SQL of figures: mart, run_id, part, metric, value, low, high, is_compared."""
    row = (
        "SELECT '{}' AS mart, run_id, {} AS part, {} AS metric, {} AS value, {} AS low, {} AS high"
    )
    for mart, part in FIGURES.items():
        yield f"{row}, is_compared FROM marts.{mart}".format(
            mart, part, "metric", "value", "value_low", "value_high"
        )
    for mart, part in COLUMNS.items():
        for metric, column in CPU.items():
            stem, unit = column.removesuffix("_us"), "_us" * column.endswith("_us")
            yield f"{row}, is_compared FROM marts.{mart}".format(
                mart, part, f"'{metric}'", column, f"{stem}_low{unit}", f"{stem}_high{unit}"
            )
    for mart, columns in BOUNDLESS.items():
        for column in columns:
            yield f"{row}, is_compared FROM marts.{mart} WHERE is_compared".format(
                mart, "''", f"'{column}'", column, f"{column} / 1.12", f"{column} * 1.12"
            )


@pytest.fixture(scope="module")
def built(
    empty_build: tuple[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield the models of the drawn systems, and the tables `shown` and `truth` of figures."""
    _, work = empty_build
    compiled = work.parent / "dbt/target/compiled/perfhouse/models"
    copy = shutil.copyfile(work, tmp_path_factory.mktemp("bounds") / work.name)
    with duckdb.connect() as db:
        db.execute(f"ATTACH '{copy}' AS work; USE work")  # as the SQL names it
        for table in sorted(set(re.findall(r"INSERT INTO (\w+\.\w+)", DRAWN))):
            _empty(db, table)
        db.execute(DRAWN)
        for model in MODELS:
            schema = "marts" if model.startswith("fct_") else "intermediate"
            files = compiled.rglob(f"{model}.sql")  # not those of unit tests
            sql = next(file for file in files if not file.parent.suffix).read_text()
            db.execute(f"CREATE OR REPLACE TABLE {schema}.{model} AS {sql}")
        figures = " UNION ALL BY NAME ".join(_shown())
        db.execute(
            f"CREATE TABLE shown AS SELECT *, substr(run_id, 2)::BIGINT AS s FROM ({figures})"
        )
        db.execute(MEANS)
        yield db


def _empty(db: duckdb.DuckDBPyConnection, table: str) -> None:
    """Make a table again, without rows and constraints; its counts are not rounded."""
    columns = db.execute(
        "SELECT column_name, replace(replace(data_type, 'UBIGINT', 'DOUBLE'), 'BIGINT', 'DOUBLE') "
        "FROM duckdb_columns() WHERE schema_name || '.' || table_name = $1",
        [table],
    ).fetchall()
    is_view = db.execute(
        "FROM duckdb_views() WHERE schema_name || '.' || view_name = $1", [table]
    ).fetchall()
    db.execute(f"DROP {'VIEW' if is_view else 'TABLE'} {table}")
    fields = ", ".join(f'"{name}" {kind}' for name, kind in columns)
    db.execute(f"CREATE TABLE {table} ({fields})")


def test_figures_are_right_within_their_bounds_or_not_compared(
    built: duckdb.DuckDBPyConnection,
) -> None:
    wrong = built.execute(
        f"""
        SELECT mart, metric, count(*),
            arg_min((run_id, part, low, shown.value, high, truth.value), (s, part))
        FROM shown LEFT JOIN truth USING (s, part, metric)
        WHERE shown.value IS NOT NULL
            AND (is_compared OR low <= high AND truth.value IS NOT NULL)
            AND (low <= truth.value + {NEAR} AND high >= truth.value - {NEAR}) IS NOT true
        GROUP BY ALL ORDER BY ALL
        """
    ).fetchall()
    assert wrong == []


def test_no_figure_is_compared_that_may_be_off_by_more_than_noise(
    built: duckdb.DuckDBPyConnection,
) -> None:
    wide = built.execute(
        """
        SELECT mart, metric, count(*), arg_min((run_id, part, low, value, high), (s, part))
        FROM (
            SELECT *, CASE mart
                WHEN 'fct_run_part'
                THEN sum(value) OVER (PARTITION BY mart, s, metric, split_part(part, ':', 1))
                WHEN 'fct_relative_measurement' THEN 100 + value
                ELSE value
            END AS whole
            FROM shown WHERE value IS NOT NULL
        )
        WHERE is_compared AND mart NOT IN ('fct_run_price', 'fct_run_hardware')
            AND (high - low <= 0.12 * whole + 1e-9) IS NOT true
        GROUP BY ALL ORDER BY ALL
        """
    ).fetchall()
    assert wide == []


def test_changes_of_parts_are_right_within_their_bounds(built: duckdb.DuckDBPyConnection) -> None:
    right = built.execute(
        f"""
        SELECT DISTINCT
            (difference_low <= truth.value + {NEAR} AND difference_high >= truth.value - {NEAR})
            IS true
        FROM (
            SELECT * REPLACE (split || ': ' || part AS part),
                substr(configuration_id, 2)::BIGINT AS pair
            FROM marts.fct_run_explanation WHERE split <> 'system'
        )
        LEFT JOIN (
            SELECT s // 2 AS pair, metric, part, sum(if(s % 2 = 1, value, -value)) AS value
            FROM truth GROUP BY ALL
        ) AS truth USING (pair, metric, part)
        """
    ).fetchall()
    assert right == [(True,)]


def test_means_on_two_machines_are_right_within_their_bounds(
    built: duckdb.DuckDBPyConnection,
) -> None:
    ((rows, right),) = built.execute(
        f"""
        SELECT count(*), count(*) FILTER (
            low <= truth.value + {NEAR} AND high >= truth.value - {NEAR}
        )
        FROM (
            SELECT configuration_id_before AS id, metric, value_before_low AS low,
                value_before_high AS high FROM intermediate.machine_pair
            UNION ALL
            SELECT configuration_id_after, metric, value_after_low, value_after_high
            FROM intermediate.machine_pair
        ) AS side
        JOIN mean AS truth ON id = 'k' || k AND truth.metric = side.metric
        """
    ).fetchall()
    assert rows == right > 100


def test_every_metric_that_a_run_can_have_a_part_of_is_compared_for_some_runs_and_not_for_others(
    built: duckdb.DuckDBPyConnection,
) -> None:
    both = built.execute(
        "SELECT metric FROM shown WHERE mart = 'fct_measurement' "
        "GROUP BY metric HAVING count(DISTINCT is_compared) = 2"
    ).fetchall()
    known = built.execute("SELECT metric FROM staging.run_metric").fetchall()
    assert {*both} == {metric for metric in known if not EXACT.fullmatch(*metric)}


def test_all_figures_of_whole_intervals_are_compared(built: duckdb.DuckDBPyConnection) -> None:
    figures = built.execute(
        "SELECT DISTINCT s, is_compared FROM shown SEMI JOIN whole USING (s) "
        "WHERE value IS NOT NULL"
    ).fetchall()
    assert sorted(figures) == [(16, True), (72, True), (128, True)]
