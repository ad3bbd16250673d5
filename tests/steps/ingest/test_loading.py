"""Several processes load what one would, and a fault costs only the file that it is in."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from app.cli.main import main
from ingest import loading
from tests.kit.lakes import differences, read_tables
from tests.kit.large_files import OF_A_LOAD, loaded

pytestmark = pytest.mark.usefixtures("everything_is_large")


def test_several_processes_load_what_one_does(large_files: Path, tmp_path: Path) -> None:
    one, of_one = loaded(tmp_path, large_files, 1)
    read = Counter[Path]()
    several, of_several = loaded(
        tmp_path, large_files, 2, lambda file, n, _: read.update({file: n})
    )
    assert read == {file: file.stat().st_size for file in large_files.iterdir()}
    of_large = {load.path.name: load for load in of_one if load.path.stem == "large"}
    assert of_large["large.smf"].status == "partly"
    assert of_large["large.rmf"].rows > 500
    assert [load.path for load in of_several] == [load.path for load in of_one]
    for a, b in zip(of_one, of_several, strict=True):
        assert {name: getattr(a, name) for name in OF_A_LOAD} == {
            name: getattr(b, name) for name in OF_A_LOAD
        }
        tables = (read_tables(w, a.source_id, without=set()) for w in (one, several))
        assert differences(*tables) == {}
    ledgers = [
        w.store.ledger().drop("loaded_at").sort("source_id").collect() for w in (one, several)
    ]
    assert ledgers[0].equals(ledgers[1])
    assert list(several.staging.iterdir()) == []


def test_files_that_begin_alike_are_loaded_in_their_order(large_files: Path) -> None:
    groups = loading._groups({file: loading._head(file) for file in sorted(large_files.iterdir())})
    names = [[file.name for file in group] for group in groups]
    assert ["grows.smf", "grows.smf.later"] in [
        [name for name in group if name.startswith("grows")] for group in names
    ]


@pytest.mark.parametrize("jobs", ["0", "-1", "two"])
def test_a_number_of_processes_that_cannot_be_is_refused(
    jobs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ingest", "x.smf", "--jobs", jobs]) == 2
    assert "--jobs" in capsys.readouterr().err
