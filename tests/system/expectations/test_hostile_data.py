"""Dumps with fields of extreme values, and records that contradict each other, are published."""

from __future__ import annotations

import gzip
import io
import random
from pathlib import Path

import duckdb
import pytest

from app.cli.main import main
from app.pipeline.places import ROOT
from ingest.formats.binary.framing import detect_framing, read_batches
from ingest.formats.binary.write import frame_records
from models_sim.simulator.mq.samples import write_samples
from models_sim.simulator.zos.write import write_zos_samples

# All bits, a sign or a carry, nothing, the largest signed number, and small ones.
_EXTREMES = (b"\xff" * 8, b"\x80" + bytes(7), bytes(8), b"\x7f" + b"\xff" * 7, b"\0\0\0\1" * 2)
_HEADER = 0x50  # bytes that stay as they are: what tells records apart
_TYPE = 5
# MQ marts with sections of a record -> what an interval has one of.
_ITEMS = {
    "fct_log_write_interval": "log_copy, write_type",
    "fct_buffer_pool_interval": "buffer_pool",
    "fct_page_set_interval": "page_set",
    "fct_cf_structure_interval": "structure_name",
    "fct_smds_interval": "structure_name",
    "fct_db2_request_interval": "request_type",
    "fct_queue_interval": "queue_name, cf_structure_name",
    "fct_channel_initiator_task_interval": "task_type, task_number",
}


def records(dump: Path) -> list[bytes]:
    """Return the records of a dump, with their descriptor words."""
    content = dump.read_bytes()
    if dump.suffix == ".gz":
        content = gzip.decompress(content)
    framing = detect_framing(content, whole=True)
    assert framing is not None
    batches = read_batches(io.BytesIO(content), framing)
    return [batch.content(i) for batch in batches for i in range(len(batch.start))]


def altered(record: bytes, dice: random.Random) -> bytes:
    """Return a record in which up to three fields have extreme values; dump headers stay."""
    changed = bytearray(record)
    for _ in range(dice.randint(0, 3) if record[_TYPE] not in (2, 3) else 0):
        length = dice.choice((1, 2, 4, 8))
        if len(changed) > _HEADER + length:
            at = dice.randrange(_HEADER, len(changed) - length + 1) // length * length
            changed[at : at + length] = dice.choice(_EXTREMES)[:length]
    return bytes(changed)


@pytest.fixture(scope="module")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of dumps, and of altered copies: systems and intervals stand in all of them."""
    folder = tmp_path_factory.mktemp("hostile")
    plain = [*write_samples(folder / "plain", 1), *write_zos_samples(folder / "plain", 1)]
    for seed in (1, 2):
        dice = random.Random(seed)
        for dump in plain:
            if ".smf" in dump.suffixes:
                hostile = frame_records([altered(record, dice) for record in records(dump)])
                (folder / f"{seed}-{dump.name.removesuffix('.gz')}").write_bytes(b"".join(hostile))
    return folder


def test_what_cannot_be_is_published_with_status_1(dumps: Path, tmp_path: Path) -> None:
    cases = ROOT / "tests/marts/hard_cases"
    file = tmp_path / "w.duckdb"
    status = main(
        [
            "run",
            str(dumps),
            *(str(cases / name / "input") for name in ("impossible", "doubled-rmf")),
            "--warehouse",
            str(file),
        ]
    )
    assert status == 1
    with duckdb.connect(str(file), read_only=True) as db:
        kinds = {kind for (kind,) in db.execute("SELECT kind FROM marts.fct_data_issue").fetchall()}
        assert kinds >= {
            *("overlapping_intervals", "negative_cpu_time", "contradicting_records"),
            "overlapping_address_space_intervals",
        }
        # The copies tell the same intervals: of those that contradict each other, one counts.
        for mart, item in _ITEMS.items():
            key = f"origin, system_id, queue_manager, interval_start_utc, {item}"
            records_of_one = "count(DISTINCT (source_id, record_no))"
            (intervals, most) = db.execute(
                f"SELECT count(*), max(n) FROM (SELECT {records_of_one} AS n FROM marts.{mart} "
                f"GROUP BY {key})"
            ).fetchall()[0]
            assert (intervals > 0, most) == (True, 1), mart
        (overlapping,) = db.execute(
            "SELECT count(*) FROM marts.fct_address_space_interval AS a "
            "JOIN marts.fct_address_space_interval AS b "
            "USING (origin, sysplex, system_id, job_name, address_space_id) "
            "WHERE (a.source_id, a.record_no) < (b.source_id, b.record_no) "
            "AND a.address_space_id > 0 "
            "AND a.interval_start_utc + INTERVAL 1 SECOND < b.interval_end_utc "
            "AND b.interval_start_utc + INTERVAL 1 SECOND < a.interval_end_utc"
        ).fetchall()[0]
        assert overlapping == 0
        (verdicts,) = db.execute(
            "SELECT map_from_entries(list((severity, n))) FROM (SELECT severity, count(*) AS n "
            "FROM meta.expectation_result WHERE NOT passed GROUP BY severity)"
        ).fetchall()[0]
        assert set(verdicts) == {"error", "warning"}
        (unjudged,) = db.execute(
            "SELECT count(*) FROM meta.expectation_result WHERE observed = 'not judged'"
        ).fetchall()[0]
        assert unjudged == 0
