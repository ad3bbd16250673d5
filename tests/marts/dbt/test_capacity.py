"""The marts of capacity show what the synthetic sysplex consumed."""

from pathlib import Path

import duckdb
import polars as pl
import pytest

from app.pipeline.bundled import SAMPLES_SEED
from models_sim.simulator.zos.profile import PLEX1
from models_sim.simulator.zos.write import truth

KEY = ["system", "interval"]


def rows(bundled: Path, sql: str) -> pl.DataFrame:
    with duckdb.connect(str(bundled), read_only=True) as db:
        return db.sql(sql).pl()


def test_consumed_msu_are_the_dispatched_time_at_the_rate_of_the_machine(bundled: Path) -> None:
    done = truth(SAMPLES_SEED)
    wanted = (
        done["processor"]
        .filter(processor_type="CP")
        .group_by(KEY)
        .agg(pl.col("effective_us").sum())
        .join(done["interval"].filter(~pl.col("skipped")), on=KEY)
        .select(
            "system",
            pl.col("start").dt.truncate("1s"),
            msu=pl.col("effective_us")
            / (pl.col("end") - pl.col("start")).dt.total_milliseconds()
            / 1e3
            * PLEX1.msu_of_processor,
        )
    )
    got = rows(
        bundled,
        "SELECT system_id AS system, interval_start_utc AS start, consumed_msu, "
        "long_term_average_msu, available_capacity_msu, group_capacity_msu "
        "FROM marts.fct_lpar_capacity_interval WHERE sysplex = 'PLEX1'",
    )
    both = wanted.join(got, on=["system", "start"])
    assert both.height == wanted.height > 10
    assert both["consumed_msu"].to_list() == pytest.approx(both["msu"].to_list(), rel=1e-3)
    assert both["group_capacity_msu"].unique().to_list() == [PLEX1.group_msu]
    assert (both["long_term_average_msu"] <= both["available_capacity_msu"]).all()


def test_the_group_consumed_what_its_partitions_did(bundled: Path) -> None:
    off = rows(
        bundled,
        """
        SELECT any_value(group_consumed_msu) / sum(consumed_msu) AS ratio, count(*) AS systems
        FROM marts.fct_lpar_capacity_interval WHERE sysplex = 'PLEX1'
        GROUP BY date_trunc('minute', interval_start_utc + INTERVAL 30 SECOND)
        HAVING count(*) = 2
        """,
    )
    assert off.height > 5
    assert off["ratio"].to_list() == pytest.approx([1] * off.height, rel=1e-3)


def test_the_peak_hour_is_the_hour_of_the_highest_average(bundled: Path) -> None:
    peaks = rows(
        bundled,
        """
        WITH hour AS (
            SELECT origin, sysplex, system_id,
                date_trunc('hour', interval_start_utc + INTERVAL 30 SECOND) AS hour_utc,
                CAST(
                    interval_start_utc + to_minutes(utc_offset_minutes) + INTERVAL 30 SECOND AS DATE
                ) AS local_date,
                sum(long_term_average_msu * interval_seconds) / sum(interval_seconds) AS mean
            FROM marts.fct_lpar_capacity_interval GROUP BY ALL
        )
        SELECT abs(max(mean) - any_value(peak_hour_long_term_average_msu)) < 1e-5 AS same,
            bool_or(hour_utc = peak_hour_utc) AS named
        FROM hour JOIN marts.fct_lpar_capacity_day
        USING (origin, sysplex, system_id, local_date)
        GROUP BY origin, sysplex, system_id, local_date
        """,
    )
    assert peaks.height > 3
    assert peaks["same"].all()
    assert peaks["named"].all()
