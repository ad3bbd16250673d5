"""A build keeps to its memory."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

from app.pipeline import dbt, steps
from ingest.lake.memory import SETTING
from ingest.lake.warehouse import Warehouse
from models_sim.simulator.bulk.estate import estate

_UNTESTED = ("resource_type:test", "resource_type:unit_test")


def test_a_build_without_enough_memory_names_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warehouse = Warehouse(tmp_path / "x.duckdb")
    with warehouse.open_work():
        pass  # opening it makes the raw views

    def build() -> dbt.Ran:
        return dbt.run_dbt(
            warehouse.work, warehouse.dbt, select=("+int_mq__record",), exclude=_UNTESTED
        )

    assert build().nodes > 1
    monkeypatch.setattr(dbt, "duckdb_memory", lambda: "3MB")
    with pytest.raises(dbt.DbtError, match="PERFHOUSE_BUILD_MEMORY lets it use more memory"):
        build()


def counters(smf: bytes) -> Iterator[bytes]:
    """Yield the records of type 113, which hold many counters in few bytes."""
    at = 0
    while at < len(smf):
        end = at + int.from_bytes(smf[at : at + 2], "big")
        if smf[at + 5] == 113:
            yield smf[at:end]
        at = end


def test_a_build_that_writes_to_disk_makes_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Three days of 12 LPARs, in the least memory and in enough."""
    dumps = [tmp_path / f"{number}.smf" for number in range(36)]
    days = (smf for name, smf in estate(12, 3) if name.endswith(".smf"))
    for file, smf in zip(dumps, days, strict=True):
        file.write_bytes(b"".join(counters(smf)))
    warehouse = Warehouse(tmp_path / "x.duckdb")
    steps.ingest_paths(warehouse, dumps)
    made: list[tuple[int, int]] = []
    for memory in ("1.5GB", "8GB"):
        caplog.clear()
        monkeypatch.setenv(SETTING, memory)
        warehouse.discard_work()
        with warehouse.open_work() as db:
            warehouse.refresh(db)
        chosen = ("+int_zos_devices__counter",)
        dbt.run_dbt(warehouse.work, warehouse.dbt, select=chosen, exclude=_UNTESTED)
        assert ("were written to disk" in caplog.text) is (memory == "1.5GB")
        with warehouse.open_work() as db:
            made += db.execute(
                "SELECT count(*), sum(hash(c)::HUGEINT) "
                "FROM intermediate.int_zos_devices__counter AS c"
            ).fetchall()
    assert made[0] == made[1]
    assert made[0][0] > 1_000_000


def test_a_build_says_how_much_it_wrote_to_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PERFHOUSE_BUILD_MEMORY", "2GB")
    monkeypatch.setattr(dbt, "_LOOK_SECONDS", 0.01)
    spilled = tmp_path / "work.duckdb.tmp"
    with duckdb.connect() as db, dbt._report_spill(spilled):
        db.execute(f"SET temp_directory = '{spilled}'; SET memory_limit = '40MB'; SET threads = 1")
        db.execute(
            "CREATE TABLE t AS SELECT hash(i) AS h, i FROM range(6000000) AS r (i) ORDER BY h"
        )
    said = re.search(r"needs more than 2\.0 GB of memory: up to (\d+) MB", caplog.text)
    assert said
    assert int(said[1]) >= 1
    caplog.clear()
    with dbt._report_spill(spilled):
        pass
    assert caplog.text == ""


def test_what_a_killed_build_wrote_to_disk_goes_with_its_database(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "x.duckdb")
    with warehouse.open_work():
        pass
    spilled = warehouse.work.with_name("work.duckdb.tmp")
    spilled.mkdir()
    (spilled / "duckdb_temp_storage_DEFAULT-0.tmp").write_bytes(b"rows")
    warehouse.discard_work()
    assert not spilled.exists()
    assert not warehouse.work.exists()


def test_models_that_did_not_fit_beside_others_are_built_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def results(**nodes: str) -> SimpleNamespace:
        ran = [
            SimpleNamespace(
                node=SimpleNamespace(name=name, unique_id=name), status=status, message=message
            )
            for name, (status, _, message) in ((n, of.partition(": ")) for n, of in nodes.items())
        ]
        return SimpleNamespace(result=SimpleNamespace(results=ran))

    full = "error: Runtime Error\n  Out of Memory Error: could not allocate block"
    given = ("--threads", "2", "--select", "a", "b", "c", "--exclude", "d")
    asked: list[tuple[str, ...]] = []

    def build(*answers: SimpleNamespace, given: Sequence[str] = given) -> dict[str, str]:
        left = iter(answers)
        monkeypatch.setattr(dbt, "parse_project", lambda _: None)
        monkeypatch.setattr(dbt, "_invoke", lambda _, *how: asked.append(how) or next(left))
        ran = dbt._results(None, None, given)
        return {one.node.name: one.status for one in ran or ()}

    whole = {"a": "success", "b": "success", "c": "success"}
    first = results(a=full, b="success", c="skipped")
    assert build(first, results(a="success", c="success")) == whole
    assert asked[1] == ("build", "--exclude", "d", "--threads", "1", "--select", "a", "c")
    assert build(first, results(a=full, c="skipped")) == {**whole, "a": "error", "c": "skipped"}
    broken = results(a=full, b="error: Binder Error", c="skipped")
    assert build(broken) == {"a": "error", "b": "error", "c": "skipped"}
    alone = ("--threads", "1", *given[2:])  # in a lake, the first transaction is rolled back
    assert build(first, given=alone) == {"a": "error", "b": "success", "c": "skipped"}
