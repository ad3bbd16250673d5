"""The example plug-in, SMF 88: its records are decoded, and its mart is built."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.pipeline.places import ROOT

pytestmark = pytest.mark.timeout(900)

CODE = """
import json, sys
from datetime import datetime, timedelta
from pathlib import Path
import perfhouse
from ingest.formats.binary.compose import compose
from ingest.formats.binary.write import frame_records
from ingest.formats.layouts import RECORDS

folder = Path(sys.argv[1])
(layout,) = (record for record in RECORDS if record.record_type == 88)

def dump(name, hours):
    records = []
    for hour in hours:
        end = datetime(2026, 3, 1) + timedelta(hours=hour)
        header = {"smf88flg": 0x5E, "smf88rty": 88, "smf88stp": 1, "smf88sid": "SYS1",
                  "smf88tme": end.hour * 3_600_000_000, "smf88dte": end.date()}
        streams = [{"smf88lsn": "IFASMF.PERF", "smf88ltd": end, "smf88lwi": hour,
                    "smf88lwb": 4096.0}]
        records += compose(layout, {"smf88_header": [header], "smf88_1_log_stream": streams})
    (folder / name).write_bytes(b"".join(frame_records(records)))
    return folder / name

warehouse = perfhouse.Warehouse(folder / "w" / "x.duckdb")
audits = [warehouse.run(dump("a.smf", range(1, 30))), warehouse.run(dump("b.smf", range(20, 50)))]
rows = warehouse.query(
    "SELECT count(*) AS n, sum(writes)::BIGINT AS writes, sum(written_bytes) AS bytes "
    "FROM fct_log_stream_interval"
)
(table,) = warehouse.query("SELECT about FROM (FROM duckdb_tables() SELECT comment AS about "
                           "WHERE table_name = 'fct_log_stream_interval')")["about"]
print(json.dumps([[audit.exit_status for audit in audits], rows.row(0), table]))
"""


def test_the_example_is_read_and_built_and_a_dump_that_overlaps_counts_once(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path)],
        stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT,
        env=os.environ | {
            "PERFHOUSE_PLUGINS": str(ROOT / "examples" / "smf88" / "perfhouse_smf88"),
            "PYTHONPATH": str(ROOT),
        },
    )  # fmt: skip
    statuses, row, about = json.loads(done.stdout.splitlines()[-1])
    assert statuses == [0, 0]
    assert row == [49, sum(range(1, 50)), 49 * 4096.0]
    assert about == "One row per interval, system and log stream: what was written to it."
