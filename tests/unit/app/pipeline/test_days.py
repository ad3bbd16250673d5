"""Which days an incremental build builds again, and which it reads."""

from datetime import date, datetime, timedelta

import duckdb
import pytest

from app.pipeline.days import Changes, changed_loads, note_loads, plan_days

FIRST = date(2026, 1, 1)
MOMENT = datetime(2026, 3, 1)
SHAPES = {
    "raw.ledger": "source_id VARCHAR, loaded_at TIMESTAMP, path VARCHAR, kind VARCHAR, "
    "origin VARCHAR, code_page VARCHAR, ams_type VARCHAR, about VARCHAR",
    "raw.ledger_day": "source_id VARCHAR, first_day DATE, last_day DATE, "
    "first_record_no BIGINT, last_record_no BIGINT",
    "raw.bench_mft_transfer": "transfer_id VARCHAR",
    "raw.bench_run": "run_id VARCHAR",
    "raw.bench_measurement": "run_id VARCHAR",
    "intermediate.int_runs__transfer_message": "source_id VARCHAR, record_no BIGINT, "
    "transfer_id VARCHAR",
    "intermediate.int_runs__transfer_item": "source_id VARCHAR, record_no BIGINT, "
    "transfer_id VARCHAR",
    "intermediate.int_runs__manifest": "source_id VARCHAR, record_no BIGINT, run_id VARCHAR",
    "intermediate.int_runs__given": "source_id VARCHAR, run_id VARCHAR",
}


class Views:
    """A warehouse whose raw tables show the same loads to everybody."""

    def refresh(self, db, only=None):
        """Leave the tables as they are."""

    def sources_with_rows(self, db, *, of_all):
        return ["raw.smf115_qmst"]


class Case:
    """A database with the loads of one day each, d0 to d19, all of them in the last build."""

    def __init__(self, days: int = 20) -> None:
        self.db = duckdb.connect()
        for schema in ("raw", "intermediate", "meta"):
            self.db.execute(f"CREATE SCHEMA {schema}")
        for table, columns in SHAPES.items():
            self.db.execute(f"CREATE TABLE {table} ({columns})")
        for day in range(days):
            self.load(f"d{day}", (day, day, 1, 10))
        note_loads(self.db, self.loads())

    def load(self, name, *ranges, kind="smf", path=None):
        """Add a load; ranges: first and last day, first and last record."""
        self.insert(
            "raw.ledger", name, MOMENT, path or f"{name}.smf", kind, "measured", *[None] * 3
        )
        for first, last, *records in ranges:
            days = [None if d is None else FIRST + timedelta(d) for d in (first, last)]
            self.insert("raw.ledger_day", name, *days, *records)

    def forget(self, name):
        for table in ("raw.ledger", "raw.ledger_day"):
            self.db.execute(f"DELETE FROM {table} WHERE source_id = $1", [name])

    def insert(self, table, *values):
        self.db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)

    def loads(self):
        return dict(self.db.execute("SELECT source_id, loaded_at FROM raw.ledger").fetchall())

    def plan(self):
        """Return (built again, only read) as sets of loads; None: everything is built."""
        days = plan_days(Views(), self.db, changed_loads(self.db, self.loads()))
        if days is None:
            return None
        again = {name for name, *_, distance in days.ranges if distance == 0}
        return again, {name for name, *_ in days.ranges} - again


@pytest.fixture
def case():
    return Case()


def test_the_sources_of_new_loads_are_known_and_those_of_forgotten_ones_are_not(case):
    def sources():
        return plan_days(Views(), case.db, changed_loads(case.db, case.loads())).sources

    case.load("new", (3, 3, 1, 10))
    assert sources() == ["raw.smf115_qmst"]
    case.forget("d9")
    assert sources() is None


def test_loads_are_new_gone_or_loaded_again(case):
    assert changed_loads(case.db, case.loads()) == Changes([], [])
    case.load("later", (20, 20, 1, 10))
    case.forget("d3")
    case.db.execute("UPDATE raw.ledger SET loaded_at = loaded_at + INTERVAL 1 DAY "
                    "WHERE source_id = 'd7'")  # fmt: skip
    assert changed_loads(case.db, case.loads()) == Changes(["d7", "later"], ["d3", "d7"])


def test_without_a_note_of_its_loads_nothing_is_known_of_a_build(case):
    case.db.execute("DROP TABLE meta.build_load")
    assert changed_loads(case.db, case.loads()) is None


def test_a_new_day_is_built_with_its_neighbours_and_two_more_are_read(case):
    case.load("late", (10, 10, 1, 5))
    assert case.plan() == ({"late", "d9", "d10", "d11"}, {"d7", "d8", "d12", "d13"})


def test_a_forgotten_day_builds_its_neighbours(case):
    case.forget("d10")
    assert case.plan() == ({"d9", "d11"}, {"d7", "d8", "d12", "d13"})


def test_of_a_long_dump_only_some_records_are_built_again(case):
    case.load("month", *((day, day, 100 * day, 100 * day + 99) for day in range(40, 70)))
    note_loads(case.db, case.loads())
    case.load("late", (50, 50, 1, 5))
    days = plan_days(Views(), case.db, changed_loads(case.db, case.loads()))
    found = {(first, distance) for name, first, _, distance in days.ranges if name == "month"}
    assert found == {
        (4700, 2), (4800, 1), (4900, 0), (5000, 0), (5100, 0), (5200, 1), (5300, 2),
    }  # fmt: skip


def test_a_load_without_order_in_time_is_built_with_all_its_days(case):
    case.load("shuffled", (2, 6, 1, 10))
    note_loads(case.db, case.loads())
    case.load("late", (7, 7, 1, 5))
    again, read = case.plan()
    assert again == {"late", "shuffled", *(f"d{day}" for day in range(1, 9))}
    assert read == {"d0", "d9", "d10"}


def test_a_run_of_many_days_does_not_bring_their_records(case):
    case.load("manifest", (2, 6, 1, 1), kind="run_manifest")
    note_loads(case.db, case.loads())
    case.load("late", (7, 7, 1, 5))
    assert case.plan()[0] == {"late", "manifest", "d6", "d7", "d8"}


def test_messages_of_a_transfer_bring_each_others_days(case):
    case.insert("intermediate.int_runs__transfer_message", "d2", 5, "t1")
    case.insert("raw.bench_mft_transfer", "t1")
    case.load("late", (10, 10, 1, 5), kind="mft_xml")
    assert case.plan()[0] == {"late", "d9", "d10", "d11", "d1", "d2", "d3"}


def test_a_forgotten_message_of_a_transfer_brings_the_days_of_the_others(case):
    case.insert("intermediate.int_runs__transfer_message", "d2", 5, "t1")
    case.insert("intermediate.int_runs__transfer_item", "d10", 5, "t1")
    case.forget("d10")
    assert case.plan()[0] == {"d9", "d11", "d1", "d2", "d3"}


@pytest.mark.parametrize("said_by", ["raw.bench_run", "raw.bench_measurement"])
def test_what_names_a_run_brings_the_day_of_the_run(case, said_by):
    case.insert("intermediate.int_runs__manifest", "d2", 5, "r1")
    case.insert(said_by, "r1")
    case.load("late", (None, None, 1, 5), kind="measurements")
    assert case.plan()[0] == {"late", "d1", "d2", "d3"}


def test_an_output_brings_the_day_of_the_run_in_its_path(case):
    case.insert("intermediate.int_runs__manifest", "d2", 5, "r1")
    case.insert("intermediate.int_runs__manifest", "d12", 5, "r2")
    case.load("out", (None, None, 1, 5), kind="ioping", path="/bench/r1/ioping.txt")
    assert case.plan()[0] == {"out", "d1", "d2", "d3"}


def test_an_output_of_no_known_run_is_built_alone(case):
    case.load("out", (None, None, 1, 5), kind="ioping", path="/bench/ioping.txt")
    assert case.plan() == ({"out"}, set())


def test_earlier_outputs_without_a_time_are_not_read(case):
    case.load("out", (None, None, 1, 5), kind="ioping")
    note_loads(case.db, case.loads())
    case.load("late", (10, 10, 1, 5))
    assert "out" not in set.union(*case.plan())


def test_published_figures_build_everything(case):
    case.load("cells", (None, None, 1, 5), kind="published_cells")
    assert case.plan() is None


def test_a_load_that_does_not_say_its_days_builds_everything(case):
    case.load("old")
    case.load("late", (10, 10, 1, 5))
    assert case.plan() is None


def test_more_than_half_of_the_records_build_everything(case):
    case.load("much", (10, 10, 1, 1000))
    assert case.plan() is None
