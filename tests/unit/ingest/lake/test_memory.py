"""How much memory a build may take."""

from pathlib import Path

import duckdb
import pytest

from ingest.base.errors import SettingsError
from ingest.lake import memory
from ingest.lake.memory import SETTING, bound, build_memory, duckdb_memory, machine_memory

GB = 10**9


@pytest.mark.parametrize(
    ("given", "memory"),
    [("3GB", 3 * GB), ("2.5 gb", 2.5 * GB), ("1500M", 1.5 * GB), (" 4000000000 ", 4 * GB)],
)
def test_a_size_is_read_as_people_write_it(
    monkeypatch: pytest.MonkeyPatch, given: str, memory: float
) -> None:
    monkeypatch.setenv(SETTING, given)
    assert build_memory() == memory


@pytest.mark.parametrize("given", ["much", "-3GB", "3 GiB", "3GB of them", "1.4GB", "0"])
def test_what_is_no_size_or_too_small_is_refused(
    monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv(SETTING, given)
    with pytest.raises(SettingsError, match=r"not a size of 1\.5GB or more"):
        build_memory()


@pytest.mark.parametrize(("machine", "memory"), [(64 * GB, 16 * GB), (4 * GB, 1.5 * GB)])
def test_by_default_it_is_a_quarter_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, machine: int, memory: float
) -> None:
    monkeypatch.delenv(SETTING, raising=False)
    monkeypatch.setattr("ingest.lake.memory.machine_memory", lambda: machine)
    assert build_memory() == memory


@pytest.mark.parametrize(("allowed", "is_less"), [("2000000000\n", True), ("max\n", False)])
def test_a_control_group_may_allow_less_than_the_machine_has(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, allowed: str, is_less: bool
) -> None:
    group = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "_GROUP", group)
    of_machine = machine_memory()
    group.write_text(allowed)
    assert machine_memory() == (2 * GB if is_less else of_machine)


def test_duckdb_gets_what_is_left_beside_dbt_and_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "3GB")
    assert duckdb_memory() == "2000MB"
    with duckdb.connect() as db:
        bound(db)
        assert db.execute("SELECT current_setting('memory_limit')").fetchall() == [("1.8 GiB",)]
