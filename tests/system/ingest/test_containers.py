"""Hosts that share a folder, each with process numbers of its own: two containers, say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from app.pipeline.backup import back_up, verify
from app.pipeline.steps import ingest_paths, merge_loads
from ingest.lake.commits import expected_loads
from ingest.lake.warehouse import Warehouse
from ingest.repair.damaged import find_damaged
from tests.kit.manifests import MANIFEST
from tests.kit.processes import OTHER_HOST, has_other_hosts
from tests.kit.warehouses import PROFILE

_LOAD = """
import sys
from pathlib import Path
from app.pipeline.steps import ingest_paths
from ingest.lake.warehouse import Warehouse
warehouse = Warehouse(Path(sys.argv[1]))
for file in sys.argv[2:]:
    (load,) = ingest_paths(warehouse, [file])
    assert load.status == "loaded", load.reasons
"""
_CARE = """
import sys
from pathlib import Path
from app.pipeline.backup import back_up
from app.pipeline.steps import merge_loads
from ingest.lake.warehouse import Warehouse
warehouse = Warehouse(Path(sys.argv[1]))
for _ in range(6):
    merge_loads(warehouse)
    if not warehouse.store.profile:
        back_up(warehouse, Path(sys.argv[2]), keep=2)
"""
HOSTS, LOADS = 4, 12

pytestmark = pytest.mark.skipif(not has_other_hosts(), reason="this user may make no namespaces")


def write(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / f"{name}.toml"
    file.write_text(MANIFEST.replace("may", name))
    return file


@pytest.mark.timeout(900)
@pytest.mark.parametrize("profile", ["", PROFILE], ids=["folders", "DuckLake"])
def test_hosts_that_load_and_merge_at_once_lose_nothing(profile: str, tmp_path: Path) -> None:
    if profile:
        (tmp_path / "w.toml").write_text(profile)
    warehouse = Warehouse(tmp_path / "w.duckdb")
    ingest_paths(warehouse, [write(tmp_path / "0", "first")])
    files = [
        [write(tmp_path / f"{host}", f"c{host}-{number}") for number in range(LOADS)]
        for host in range(HOSTS)
    ]
    hosts = [
        subprocess.Popen(
            [*OTHER_HOST, sys.executable, "-c", _LOAD, str(warehouse.file), *map(str, of)]
        )
        for of in files
    ]
    hosts.append(
        subprocess.Popen(
            [*OTHER_HOST, sys.executable, "-c", _CARE, str(warehouse.file), str(tmp_path / "kept")]
        )
    )
    assert [host.wait() for host in hosts] == [0] * len(hosts)
    assert len(warehouse.loads()) == HOSTS * LOADS + 1
    assert expected_loads(warehouse.lake).keys() == warehouse.loads().keys()
    assert list(find_damaged(warehouse, deep=True)) == []
    with warehouse.connect() as db:
        rows = "SELECT count(*), count(DISTINCT source_id) FROM raw.bench_run"
        assert db.execute(rows).fetchall() == [(HOSTS * LOADS + 1, HOSTS * LOADS + 1)]
    if not warehouse.store.profile:
        merge_loads(warehouse)
        assert back_up(warehouse, tmp_path / "kept").loads == HOSTS * LOADS + 1
        assert verify(tmp_path / "kept").loads == HOSTS * LOADS + 1
