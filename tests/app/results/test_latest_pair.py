"""The comparison page starts with the latest two levels that share configurations."""

import duckdb
import pytest

from app.results.queries.comparison import latest_pair
from app.results.reader import Reader

# day, campaign, build, MQ level, machine, factors, complete
RUNS = [
    (1, "old", "b1", "9.9", "z15", "f", True),
    (2, "mid", "b2", "9.10", "z15", "f", True),
    (3, "mid", "b2", "9.10", "z15", "g", True),
    (4, "next", "b3", "9.10", "z16", "f", True),
    (5, "new", "b4", "9.10", "z16", "h", True),
    (6, "half", "b5", "9.10", "z16", "f", False),
]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    file = tmp_path_factory.mktemp("runs") / "w.duckdb"
    with duckdb.connect(str(file)) as db:
        db.execute(
            "CREATE SCHEMA marts;"
            "CREATE TABLE marts.fct_run (origin VARCHAR, start_utc TIMESTAMP, campaign VARCHAR,"
            " git_revision VARCHAR, mq_level VARCHAR, machine VARCHAR, configuration_id VARCHAR,"
            " is_compared BOOLEAN);"
            "CREATE TABLE marts.dim_configuration (configuration_id VARCHAR, factors_id VARCHAR);"
        )
        for day, campaign, build, level, machine, factors, complete in RUNS:
            configuration = f"{factors} {machine} {level}"
            db.execute(
                "INSERT INTO marts.fct_run VALUES ('measured', ?::TIMESTAMP, ?, ?, ?, ?, ?, ?)",
                [f"2026-01-0{day}", campaign, build, level, machine, configuration, complete],
            )
            db.execute(
                "INSERT INTO marts.dim_configuration SELECT $1, $2 WHERE $1 NOT IN"
                " (SELECT configuration_id FROM marts.dim_configuration)",
                [configuration, factors],
            )
    return Reader(file)


@pytest.mark.parametrize(
    ("label", "pair"),
    [
        ("campaign", ("next", "mid")),  # new has other factors, half is incomplete
        ("machine", ("z16", "z15")),  # at the same MQ level
        ("mq_level", ("9.10", "9.9")),  # later, although it sorts first as text
        ("git_revision", None),  # no two builds of one machine and level
    ],
)
def test_latest_comparable_levels_come_first(
    label: str, pair: tuple[str, str] | None, reader: Reader
) -> None:
    assert latest_pair(reader, "measured", label) == pair


def test_origins_are_not_mixed(reader: Reader) -> None:
    assert latest_pair(reader, "simulated", "campaign") is None
