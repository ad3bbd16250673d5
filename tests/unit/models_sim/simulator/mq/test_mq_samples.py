"""The synthetic MQ dumps are small, reproducible, valid and consistent."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import polars as pl
import pytest

from ingest.formats.binary.framing import detect_framing
from ingest.lake.catalogue import smf_catalogue
from models_sim.simulator.mq.samples import write_samples
from tests.kit.dumps import US_1900_TO_1970, Tables, content_of, tables_of

SEED = 20240229
FACTS = re.findall(r"\n\n-- (.*)\n([^;]*);", Path(__file__).with_name("facts.sql").read_text())


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_samples(tmp_path_factory.mktemp("synthetic"), SEED)


@pytest.fixture(scope="module")
def dumps(files: list[Path]) -> dict[str, Tables]:
    return {path.name.split(".")[0]: tables_of(content_of(path)) for path in files}


@pytest.fixture(
    scope="module", params=["synthetic_mq_800", "synthetic_mq_935", "synthetic_mq_1000"]
)
def mq(request: pytest.FixtureRequest, dumps: dict[str, Tables]) -> Tables:
    tables: Tables = dumps[request.param]
    return tables


def test_the_same_seed_gives_the_same_bytes(files: list[Path], tmp_path: Path) -> None:
    again = write_samples(tmp_path, SEED)
    assert [p.name for p in again] == [p.name for p in files]
    assert all(a.read_bytes() == b.read_bytes() for a, b in zip(again, files, strict=True))


def test_every_framing_and_release_has_a_file(files: list[Path], dumps: dict[str, Tables]) -> None:
    framings = {p.name: detect_framing(content_of(p), whole=True) for p in files}
    assert {str(f) for f in framings.values()} == {"rdw", "bdw"}
    assert any(p.suffix == ".gz" for p in files)
    levels = {
        name: set(tables["smf115_header"]["sm115rel"])
        for name, tables in dumps.items()
        if "smf115_header" in tables
    }
    assert levels == {
        "synthetic_mq_800": {"800"},
        "synthetic_mq_935": {"935"},
        "synthetic_mq_1000": {"946"},
    }
    assert set(dumps["synthetic_mq_1000"]["smf115_qwhx"]["qwhxrel"]) == {"100000"}
    assert "smf115_qwhx" not in dumps["synthetic_mq_935"]  # it has no rows


def test_older_releases_lack_the_newer_fields(dumps: dict[str, Tables]) -> None:
    columns = {"smf115_qmst": ("qmstspp", "qmstocpa"), "smf115_qjst": ("qjstcp1n", "qjsthlsciw")}
    found = {
        name: [dumps[f"synthetic_mq_{name}"][t][c].null_count() > 0 for t, some in columns.items()
               for c in some]
        for name in ("800", "935", "1000")
    }  # fmt: skip
    assert found == {
        "800": [True, True, True, True],
        "935": [False, True, False, True],
        "1000": [False, False, False, False],
    }


def test_some_records_are_spanned(files: list[Path]) -> None:
    (path,) = [p for p in files if "935" in p.name]
    content, segments, at = path.read_bytes(), set(), 0
    while at < len(content):
        block = int.from_bytes(content[at : at + 2])
        inner = at + 4
        while inner < at + block:
            segments.add(content[inner + 2])
            inner += int.from_bytes(content[inner : inner + 2])
        at += block
    assert {0, 1, 2} <= segments <= {0, 1, 2, 3}


def test_every_subtype_is_present(dumps: dict[str, Tables]) -> None:
    found = pl.concat(t["smf_record"] for t in dumps.values())
    pairs = set(found.select("record_type", "record_subtype").drop_nulls().iter_rows())
    known = {key for key in smf_catalogue() if key[0] in (115, 116)}
    assert pairs == known | {(180, 1)}


def test_queues_and_their_task_have_the_same_correlator(mq: Tables) -> None:
    made = {}
    columns = [pl.col("wtasstrt").dt.epoch("us"), "wtasmthr", "wtaswtas"]
    for number, us, *blocks in mq["smf116_wtas"].select("record_no", *columns).iter_rows():
        made[number] = ((us + US_1900_TO_1970) << 12).to_bytes(8) + b"".join(blocks)
    queues = mq["smf116_wq"].filter(pl.col("record_subtype") == 1)
    assert queues.height > 10
    for number, correlator in queues.select("record_no", "correl").iter_rows():
        assert made[number] == correlator


@pytest.mark.parametrize(("fact", "query"), FACTS, ids=[fact for fact, _ in FACTS])
def test_a_fact_holds(fact: str, query: str, dumps: dict[str, Tables]) -> None:
    named = re.findall(r"\b(800|935|1000|ams)\b", fact.rpartition(" of ")[2])
    for release in named or ("800", "935", "1000"):
        with duckdb.connect() as db:
            tables = dumps["synthetic_ams" if release == "ams" else f"synthetic_mq_{release}"]
            for name, frame in tables.items():
                if name in query:
                    db.register(name, frame)
            rows = db.sql(query).fetchall()
        assert rows
        assert {value for row in rows for value in row} == {True}, (release, set(rows))
